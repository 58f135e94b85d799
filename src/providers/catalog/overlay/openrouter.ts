import type { Overlay } from '../model-entry.ts';

/** It says in each answer what that cost; prices are for what has to be known before. */
export const openrouter: Overlay = {
  freeSuffix: ':free',
  models: [
    // No longer offered, and many times dearer than all others.
    { id: 'openai/o1-pro', retired: true },
    { id: 'openai/gpt-4.5-preview', retired: true },
    { id: 'gpt-4.5-preview', retired: true },
    { id: 'openai/gpt-4-32k', retired: true },
  ],
};
