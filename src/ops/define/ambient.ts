/**
 * @file Settings around a call that decide what it launches though they aren't among its arguments, such as the training flag of
 * the layer call around it. A recording holds only where they are the same.
 */
const settings: (() => string)[] = [];

/** Registers a setting. `show` returns it as text; '' for its default. */
export function registerAmbient(show: () => string): void {
  settings.push(show);
}

/** Returns all settings, as text that differs if any does. */
export function ambientText(): string {
  let text = '';
  for (const show of settings) text += show();
  return text;
}
