/** @file Shows one report, a comparison of two, or a recording. */
import type { StepRecordingData } from '../recording/recordingData.ts';
import { mountReport, type ReportPage, type TitleLevel } from './mountReport.ts';
import { mountRecording, type OpenStep } from './mountRecording.ts';

export type PageData = ReportPage | { readonly recording: StepRecordingData };

/** `open` replays a step of a recording, if the recording is in the same page. */
export function mountPage(
  container: Element | ShadowRoot,
  data: PageData,
  level: TitleLevel,
  open?: OpenStep,
): void {
  if ('recording' in data) mountRecording(container, data.recording, level, open);
  else mountReport(container, data, level);
}
