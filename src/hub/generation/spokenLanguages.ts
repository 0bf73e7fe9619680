/** @file The languages that are spoken in sounds. */
import { slice } from '../../ops/arrangement/slice.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { featuresAt } from '../models/featuresAt.ts';
import { invalid, requireFrames } from './checkTranscription.ts';
import { encoded, type Transcriber, windowOf } from './transcriber.ts';

/** As `AudioToText.detectLanguage`. */
export async function detectLanguages(op: string, net: Transcriber, frames: Tensor): Promise<string[]> {
  requireFrames(op, net, frames, true);
  const { languages = {} } = net.speech;
  if (Object.keys(languages).length === 0)
    throw invalid(op, 'the network knows several languages.', 'one language', 'leave out the call.');
  const found = await detectedLanguages(net, frames);
  return found.map((token) => Object.keys(languages).find((name) => languages[name] === token) as string);
}

/** The tokens of the languages in the first window of each sound. */
export async function detectedLanguages(net: Transcriber, frames: Tensor): Promise<number[]> {
  const [batch, length, bands] = frames.shape as [number, number, number];
  const size = [batch, Math.min(length, windowOf(net)), bands];
  const sounds = encoded(net, () => slice(frames, { begin: [0, 0, 0], size }));
  try {
    return await languagesOf(net, sounds);
  } finally {
    sounds.dispose();
  }
}

/** The token of the most probable language after the first token, for each encoded sound. */
export async function languagesOf(net: Transcriber, sounds: Tensor): Promise<number[]> {
  const batch = sounds.shape[0] as number;
  const logits = unrecorded(() =>
    tidy(() => {
      const first = new Int32Array(batch).fill(net.startTokens[0] as number);
      const tokenIds = tensor(first, { shape: [batch, 1] });
      const features = net.backbone.decoder.apply({ tokenIds, encoderSequence: sounds }, { training: false });
      return keep(net.logits(featuresAt(features, 0)));
    }),
  );
  try {
    const values = await logits.data();
    const count = values.length / batch;
    const tokens = Object.values(net.speech.languages ?? {}).sort((a, b) => a - b);
    return Array.from({ length: batch }, (_, i) => {
      const at = (token: number) => values[i * count + token] as number;
      return tokens.reduce((best, token) => (at(token) > at(best) ? token : best));
    });
  } finally {
    logits.dispose();
  }
}
