/** @file loadAudioConverter: reads how a pretrained network takes sounds, from `preprocessor_config.json`. */
import type { ConfigReader } from '../checkpoints/configReader.ts';
import type { PretrainedSource } from '../checkpoints/folder.ts';
import { type AudioConversion, type AudioConverter, audioConverterOf } from './audioConverter.ts';
import { type LoadOptions, readPreprocessor } from './preprocessorConfig.ts';

/** Options of `loadAudioConverter`. */
export interface LoadAudioConverterOptions extends LoadOptions {}

/**
 * Loads how a pretrained network takes sounds, from `preprocessor_config.json` or `processor_config.json`: as the logarithms of spectra in
 * bands of the mel scale, of a fixed length unless they are wanted whole. The converter takes one sound or several, of one channel at the network's sampling rate:
 *
 *     const convert = await loadAudioConverter('models/whisper');
 *     const context = new OfflineAudioContext(1, 1, 16000);
 *     const sound = await context.decodeAudioData(await blob.arrayBuffer());
 *     const spectrograms = convert(sound.getChannelData(0));
 *     const whole = convert(sound.getChannelData(0), { truncate: false });   // also of more than 30 seconds
 *
 * Errors: FormatError for a file that is missing or damaged, or asks for something that isn't supported; ValueError for invalid options.
 */
export async function loadAudioConverter(
  source: PretrainedSource,
  options: LoadAudioConverterOptions = {},
): Promise<AudioConverter> {
  return audioConverterOf(
    await readPreprocessor('loadAudioConverter', source, options, 'feature_extractor', conversionOf),
  );
}

function conversionOf(config: ConfigReader): AudioConversion {
  config.requireValue('feature_extractor_type', 'WhisperFeatureExtractor');
  config.requireValue('padding_value', 0);
  config.requireValue('dither', 0);
  config.requireValue('do_normalize', false);
  // What follows from other fields, and a table that older files have.
  config.leave('n_samples', 'nb_max_frames', 'mel_filters', 'processor_class');
  config.leave('padding_side', 'return_attention_mask');
  const samplingRate = config.integer('sampling_rate', 16_000);
  const [fftLength, stride] = [config.integer('n_fft', 400), config.integer('hop_length', 160)];
  const seconds = config.integer('chunk_length', 30);
  const numMels = config.integer('feature_size', 80);
  // Far more than networks take: tables of these sizes are computed.
  if (seconds > 3600) config.refuse('chunk_length', 'is at most an hour');
  if (samplingRate > 2 ** 18) config.refuse('sampling_rate', `is at most ${2 ** 18}`);
  if (fftLength > 2 ** 14) config.refuse('n_fft', `is at most ${2 ** 14}`);
  if (numMels > 512) config.refuse('feature_size', 'is at most 512');
  if (stride > seconds * samplingRate) config.refuse('hop_length', 'is at most the length of a sound');
  if (fftLength > seconds * samplingRate) config.refuse('n_fft', 'is at most the length of a sound');
  return {
    samplingRate,
    fftLength,
    stride,
    numMels,
    length: seconds * samplingRate,
  };
}
