/** @file The entry `retrograd/show`: charts, pictures and tables, in an element of a page or as text. */
export { type BarChartOptions, barChart, type Bars } from './barChart.ts';
export { Chart } from './chart.ts';
export { type Classified, confusionMatrix, type ConfusionMatrixOptions } from './confusionMatrix.ts';
export {
  HistoryChart,
  historyChart,
  type HistoryChartOptions,
  type Metrics,
  type Run,
  type Runs,
} from './historyChart.ts';
export { heatmap, type HeatmapOptions, type MatrixValues } from './heatmap.ts';
export { featureMaps, type FeatureMapsOptions, images, type ImagesOptions } from './images.ts';
export { lineChart, type LineChartOptions, type Lines, type LineValues } from './lineChart.ts';
export { type PointGroups, scatterChart, type ScatterChartOptions } from './scatterChart.ts';
export { Table, table, type TableOptions, type TableRow } from './table.ts';
