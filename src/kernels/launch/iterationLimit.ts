/**
 * @file The maximum number of loop iterations of one invocation. Mesa's software rasterizer (lavapipe) counts the iterations of all loops
 * of an invocation, and silently exits them after 65,535. The check that ends a loop counts as an iteration, too.
 */
export const maxIterations = 65_500;
