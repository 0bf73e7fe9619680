/** @file The name of an adapter without another one. Training reads it without loading the layers. */
export const defaultAdapter = 'default';
