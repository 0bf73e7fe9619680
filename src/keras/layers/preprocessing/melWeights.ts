/** @file The weights of frequencies in bands of the mel scale: triangles that overlap by half. */

interface Bands {
  /** Number of frequencies, from 0 to half of the sampling rate. */
  readonly bins: number;
  readonly numMelBins: number;
  readonly samplingRate: number;
  /** Edges in Hz. */
  readonly minFreq: number;
  readonly maxFreq: number;
}

/** HTK's formula, as in Keras. */
const mel = (hertz: number): number => 1127 * Math.log1p(hertz / 700);

/** The matrix [bins, numMelBins]. The frequency 0 has no weight. */
export function melWeights({
  bins,
  numMelBins,
  samplingRate,
  minFreq,
  maxFreq,
}: Bands): Float32Array<ArrayBuffer> {
  const [first, last] = [mel(minFreq), mel(maxFreq)];
  const width = (last - first) / (numMelBins + 1);
  const weights = new Float32Array(bins * numMelBins);
  for (let bin = 1; bin < bins; bin++) {
    const place = (mel((bin * samplingRate) / 2 / (bins - 1)) - first) / width;
    for (let band = 0; band < numMelBins; band++)
      weights[bin * numMelBins + band] = Math.max(0, 1 - Math.abs(place - band - 1));
  }
  return weights;
}
