/** @file The factories of recurrent layers, whose outputs depend on the option `returnState`. */
import { type Factory, factoryOf, type OptionClass } from '../../options/factory.ts';
import type { PositionName } from '../../options/positionLabels.ts';

/** Makes a `One`, a `List` with `returnState`, or an `Any` where the type doesn't say which. */
type ByState<O extends object, One, List, Any, P extends readonly unknown[]> = P extends readonly unknown[]
  ? Factory<O & { returnState: true }, List, P> &
      Factory<O & { returnState?: false }, One, P> &
      Factory<O, Any, P>
  : never;

/** The factory of `type`. */
export function byState<O extends object, One, List, Any, P extends readonly PositionName[]>(
  type: OptionClass,
  positions: P & readonly (keyof O)[],
): ByState<O, One, List, Any, P> {
  return factoryOf(type, positions as never) as never;
}
