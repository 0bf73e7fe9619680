/** @file Recurrent layers and their cells. */
export { RNNCell, type Steps } from './cell.ts';
export {
  convLSTM1d,
  ConvLSTM1D,
  type ConvLSTM1DOptions,
  convLSTM2d,
  ConvLSTM2D,
  type ConvLSTM2DOptions,
  convLSTM3d,
  ConvLSTM3D,
  type ConvLSTM3DOptions,
} from './convLSTM.ts';
export { gru, GRU, type GRUOptions } from './gru.ts';
export { gruCell, GRUCell, type GRUCellOptions } from './gru.ts';
export { lstm, LSTM, type LSTMOptions } from './lstm.ts';
export { lstmCell, LSTMCell, type LSTMCellOptions } from './lstm.ts';
export {
  type RecurrentCallOptions,
  type RecurrentOptions,
  type RecurrentOutput,
  rnn,
  RNN,
  type RNNOptions,
} from './rnn.ts';
export { simpleRNN, SimpleRNN, type SimpleRNNOptions } from './simpleRNN.ts';
export { simpleRNNCell, SimpleRNNCell, type SimpleRNNCellOptions } from './simpleRNN.ts';
export { stackedRNNCells, StackedRNNCells, type StackedRNNCellsOptions } from './stackedRNNCells.ts';
