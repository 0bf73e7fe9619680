/** @file Layers by the shorter and longer names that Keras and TF.js also have for them. Files hold the usual names. */
export {
  conv1d as convolution1d,
  Conv1D as Convolution1D,
  conv2d as convolution2d,
  Conv2D as Convolution2D,
} from './convolutional/conv.ts';
export { conv3d as convolution3d, Conv3D as Convolution3D } from './convolutional/conv3d.ts';
export {
  conv3dTranspose as convolution3dTranspose,
  Conv3DTranspose as Convolution3DTranspose,
} from './convolutional/conv3dTranspose.ts';
export {
  conv1dTranspose as convolution1dTranspose,
  Conv1DTranspose as Convolution1DTranspose,
  conv2dTranspose as convolution2dTranspose,
  Conv2DTranspose as Convolution2DTranspose,
} from './convolutional/convTranspose.ts';
export {
  separableConv1d as separableConvolution1d,
  SeparableConv1D as SeparableConvolution1D,
  separableConv2d as separableConvolution2d,
  SeparableConv2D as SeparableConvolution2D,
} from './convolutional/separableConv.ts';
export {
  averagePooling1d as avgPool1d,
  AveragePooling1D as AvgPool1D,
  averagePooling2d as avgPool2d,
  AveragePooling2D as AvgPool2D,
} from './pooling/pooling.ts';
export {
  maxPooling1d as maxPool1d,
  MaxPooling1D as MaxPool1D,
  maxPooling2d as maxPool2d,
  MaxPooling2D as MaxPool2D,
} from './pooling/pooling.ts';
export {
  averagePooling3d as avgPool3d,
  AveragePooling3D as AvgPool3D,
  maxPooling3d as maxPool3d,
  MaxPooling3D as MaxPool3D,
} from './pooling/pooling.ts';
export {
  globalAveragePooling1d as globalAvgPool1d,
  GlobalAveragePooling1D as GlobalAvgPool1D,
  globalMaxPooling1d as globalMaxPool1d,
  GlobalMaxPooling1D as GlobalMaxPool1D,
  globalAveragePooling2d as globalAvgPool2d,
  GlobalAveragePooling2D as GlobalAvgPool2D,
  globalMaxPooling2d as globalMaxPool2d,
  GlobalMaxPooling2D as GlobalMaxPool2D,
  globalAveragePooling3d as globalAvgPool3d,
  GlobalAveragePooling3D as GlobalAvgPool3D,
  globalMaxPooling3d as globalMaxPool3d,
  GlobalMaxPooling3D as GlobalMaxPool3D,
} from './pooling/globalPooling.ts';
