import type { Overlay } from '../model-entry.ts';

/** Every response reports its cost; these prices serve estimates before a call. */
export const openrouter: Overlay = {
  sources: ['https://openrouter.ai/models'],
  checkedOn: '2026-11-15',
  freeSuffix: ':free',
  models: [
    // No longer offered, and many times more expensive than all others.
    { id: 'openai/o1-pro', retired: true },
    { id: 'openai/gpt-4.5-preview', retired: true },
    { id: 'gpt-4.5-preview', retired: true },
    { id: 'openai/gpt-4-32k', retired: true },
  ],
};
