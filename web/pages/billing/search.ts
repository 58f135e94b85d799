import type { SearchParams } from '../../parts/search-params.ts';

/** What was paid on the page that led back here. */
export const billingSearch = ({ paid }: SearchParams): { readonly paid?: 'plan' | 'credits' } =>
  paid === 'plan' || paid === 'credits' ? { paid } : {};
