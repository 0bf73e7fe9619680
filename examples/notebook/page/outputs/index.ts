/** @file The view of an output, by its kind. */
import type { Output } from '../../protocol.ts';
import { barsView } from './bars.ts';
import { buttonsView } from './buttons.ts';
import { controlsView } from './controls.ts';
import { curvesView } from './curves.ts';
import { drawingView } from './drawing.ts';
import { fileView } from './file.ts';
import { graphView } from './graph.ts';
import { picturesView } from './pictures.ts';
import { tableView } from './table.ts';
import { reportView } from './report.ts';
import { statusView, textView } from './text.ts';
import { textFieldView } from './textField.ts';
import type { OutputView, Tell } from './view.ts';

export type { OutputView } from './view.ts';

const makers = {
  text: textView,
  status: statusView,
  table: tableView,
  pictures: picturesView,
  curves: curvesView,
  bars: barsView,
  controls: controlsView,
  buttons: buttonsView,
  file: fileView,
  textField: textFieldView,
  drawing: drawingView,
  graph: graphView,
  report: reportView,
};

export function makeOutput(output: Output, tell: Tell): OutputView {
  const make = makers[output.kind] as (tell: Tell) => OutputView;
  const view = make(tell);
  view.update(output as never);
  return view;
}
