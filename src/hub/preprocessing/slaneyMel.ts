/** @file The weights of frequencies in bands of Slaney's mel scale, which is linear below 1000 Hz. */

/** Bands of equal width on the scale, from 0 Hz to the highest frequency. */
interface Bands {
  /** Number of frequencies, from 0 to half of the sampling rate. */
  readonly bins: number;
  readonly numMels: number;
  readonly samplingRate: number;
  /** The upper edge of the last band, in Hz. */
  readonly maxFrequency: number;
}

/** Where the scale becomes logarithmic: 15 mel, after which 27 mel are a factor of 6.4. */
const bend = { hertz: 1000, mel: 15 };
const perMel = Math.log(6.4) / 27;

const melOf = (hertz: number): number =>
  hertz < bend.hertz ? (3 * hertz) / 200 : bend.mel + Math.log(hertz / bend.hertz) / perMel;

const hertzOf = (mel: number): number =>
  mel < bend.mel ? (200 * mel) / 3 : bend.hertz * Math.exp((mel - bend.mel) * perMel);

/** The matrix [bins, numMels]: triangles over frequencies, each with the area 1. Source: M. Slaney, "Auditory Toolbox", 1998. */
export function slaneyMelWeights({
  bins,
  numMels,
  samplingRate,
  maxFrequency,
}: Bands): Float32Array<ArrayBuffer> {
  const step = melOf(maxFrequency) / (numMels + 1);
  const edges = Array.from({ length: numMels + 2 }, (_, i) => hertzOf(i * step));
  const weights = new Float32Array(bins * numMels);
  for (let bin = 0; bin < bins; bin++) {
    const hertz = (bin * samplingRate) / 2 / (bins - 1);
    for (let band = 0; band < numMels; band++) {
      const [from, peak, to] = edges.slice(band, band + 3) as [number, number, number];
      const height = Math.min((hertz - from) / (peak - from), (to - hertz) / (to - peak));
      weights[bin * numMels + band] = (Math.max(0, height) * 2) / (to - from);
    }
  }
  return weights;
}
