import { type SearchParams, texts } from '../../parts/search-params.ts';
import { type AuditSubject, isSubject } from './events.ts';

interface AuditSearch {
  readonly subject?: AuditSubject;
  /** The number of the entry that is shown. */
  readonly open?: string;
}

export function auditSearch({ subject, ...search }: SearchParams): AuditSearch {
  return {
    ...texts(search, ['open']),
    ...(typeof subject === 'string' && isSubject(subject) && { subject }),
  };
}
