import type { Diagnostics } from '../../api/queries.ts';
import { Badge, Section } from '../../parts/states.tsx';
import { statuses } from './statuses.ts';

type Check = Diagnostics['checks'][number];

const names = Object.keys(statuses);

/** The worst first. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  const sorted = checks.toSorted((one, other) => names.indexOf(other.status) - names.indexOf(one.status));
  return (
    <Section title="Checks" aside="repeated every 10 seconds">
      <ul className="flex flex-col">
        {sorted.map(({ name, status, ms, detail, hint }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 border-b border-line py-2 text-sm sm:grid-cols-[12rem_minmax(0,1fr)_auto]"
          >
            <span className="font-medium first-letter:uppercase">{name}</span>
            <div className="min-w-0 text-muted max-sm:col-span-2 max-sm:row-start-2">
              <p className="wrap-anywhere" title={`Checked in ${ms} ms`}>
                {detail}
              </p>
              {hint !== null && <p className="wrap-anywhere text-ink">{hint}</p>}
            </div>
            <span className="flex h-5 items-center">
              <Badge tone={statuses[status].tone}>{statuses[status].title}</Badge>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
