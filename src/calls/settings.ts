import { z } from 'zod';
import { limits } from '../kernel/limits.ts';
import { list } from '../kernel/setting-schemas.ts';
import { variable } from '../kernel/settings.ts';

/** What calls run through. */
export const callSettings = {
  pipeline: variable('WEIR_PIPELINE', z.string().max(limits.pipelineTextMax).optional()),
  /** Packages that bring modules. */
  modulePackages: variable('WEIR_MODULES', list.default([])),
} as const;
