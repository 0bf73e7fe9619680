/** @file Means of hinge losses over batches; see the losses of the same names. */
import {
  categoricalHinge as categoricalHingeLoss,
  hinge as hingeLoss,
  squaredHinge as squaredLoss,
} from '../losses/hinge.ts';
import { meanOfLoss, type MetricMaker } from './defineMetric.ts';

/** The mean of max(1 - yTrue·yPred, 0). State: total, count. */
export const hinge: MetricMaker = /* @__PURE__ */ meanOfLoss({ className: 'Hinge' }, hingeLoss);

/** The mean of max(1 - yTrue·yPred, 0)². State: total, count. */
export const squaredHinge: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'SquaredHinge' },
  squaredLoss,
);

/** The mean of max(wrong - right + 1, 0). State: total, count. */
export const categoricalHinge: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'CategoricalHinge' },
  categoricalHingeLoss,
);
