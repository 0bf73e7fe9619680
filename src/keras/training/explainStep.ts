/** @file Explains how the steps of a model ran: captured and replayed or not, and why. */
import type { MemoryPlan } from './memoryOption.ts';
import type { CaptureReport } from '../../autodiff/compile.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** A step of a model. */
export type StepKind = 'train' | 'test' | 'predict';

/** The result of `model.explainStep`: whether a step is captured and replayed, and if not, why. */
export interface StepExplanation {
  /** Whether all steps were captured, except those that created weights or states. */
  captured: boolean;
  /** Why they weren't; null if they were. */
  reason: string | null;
  /** Values from outside that the step used and that are frozen in its recording, as far as they were found. */
  frozen: readonly string[];
  /** One report for each shape of batches. */
  signatures: readonly CaptureReport[];
  /** What `compile({ memory })` has chosen for training steps; null without that option, and before the first step. */
  memory: MemoryPlan | null;
  /** The whole report as readable text. */
  text: string;
}

/** The most recent runners, by kind. */
export type LastRunners = { [kind in StepKind]?: { readonly reports: readonly CaptureReport[] } };

/** Errors: ValueError for an unknown kind. */
export function explainRun(
  kind: StepKind,
  model: string,
  last: LastRunners,
  isEager: boolean,
): StepExplanation {
  requireKind(kind);
  const signatures = last[kind]?.reports ?? [];
  const reason = reasonOf(signatures, isEager);
  const frozen = signatures.flatMap((report) => report.frozen);
  const launches = signatures.map((report) => report.launches).filter((count) => count > 0);
  const lines = [
    reason === null
      ? `The ${kind} step of '${model}' is captured and replayed: ${launches.join(' or ')} launches per step.`
      : `The ${kind} step of '${model}' isn't captured: ${reason}.`,
    ...frozen.map((what) => `  frozen: ${what}`),
  ];
  return { captured: reason === null, reason, frozen, signatures, memory: null, text: lines.join('\n') };
}

function reasonOf(signatures: readonly CaptureReport[], isEager: boolean): string | null {
  if (isEager) return 'the model was compiled with runEagerly: true';
  if (signatures.length === 0) return 'no step has run';
  return signatures.find(({ captured }) => !captured)?.reason ?? null;
}

function requireKind(kind: unknown): void {
  if (kind === 'train' || kind === 'test' || kind === 'predict') return;
  throw new ValueError({
    op: 'explainStep',
    rule: "the kind of a step is 'train', 'test' or 'predict'.",
    received: describe(kind),
    hint: "call model.explainStep('train') after fit.",
  });
}
