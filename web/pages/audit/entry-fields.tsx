import type { AuditEntry } from '../../api/queries.ts';
import { utc } from '../../parts/format.ts';

interface EntryFieldsProps {
  readonly entry: AuditEntry;
  /** The name of who did it. */
  readonly who: string;
}

/** All that an entry has; values before and after a change stand side by side. */
export function EntryFields({ entry, who }: EntryFieldsProps) {
  const { at, before, after, changed: _, personal, actor, ...others } = entry;
  const fields = Object.entries({ ...others, ...personal });
  return (
    <>
      <Changes before={valuesOf(before)} after={valuesOf(after)} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <Field name="when" value={utc(at)} />
        <Field name="who" value={who === actor || actor === undefined ? who : `${who} (${actor})`} />
        {fields.map(([name, value]) => (
          <Field key={name} name={name} value={shown(value)} />
        ))}
      </dl>
    </>
  );
}

function Field({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-muted">{name.replaceAll('_', ' ')}</dt>
      <dd className="min-w-0 wrap-anywhere">
        <bdi>{value}</bdi>
      </dd>
    </>
  );
}

type Values = Readonly<Record<string, unknown>>;

function Changes({ before, after }: { readonly before: Values; readonly after: Values }) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length === 0) return null;
  return (
    <table className="w-full table-fixed border-collapse text-sm">
      <thead>
        <tr className="border-b border-line text-left text-xs text-muted">
          {['Field', 'Before', 'After'].map((title) => (
            <th key={title} scope="col" className="py-1.5 pr-4 font-normal">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} className="border-b border-line align-top">
            {[name, shown(before[name]), shown(after[name])].map((text, at) => (
              <td key={['field', 'before', 'after'][at]} className="py-1.5 pr-4 wrap-anywhere">
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
