import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { capabilities, keys, ownCeilings, spentIn } from '../../api/queries.ts';
import { percent, usd } from '../../parts/format.ts';
import { stagesOf } from '../../parts/pipeline/pipeline-text.ts';
import { Gauge, Section } from '../../parts/states.tsx';

interface Ceiling {
  /** Null where all calls are under it, as on a local gateway. */
  readonly keyId: string | null;
  readonly name: string;
  readonly window: 'day' | 'month';
  readonly usd: number;
}

const windows = ['day', 'month'] as const;
const shownMax = 4;

/** Whether it is known how much room they take, so that nothing below them moves. */
export function useCeilingsKnown(): boolean {
  const { data: about } = useQuery(capabilities);
  const isCloud = about?.mode === 'cloud';
  const own = useQuery({ ...keys, enabled: isCloud });
  const usual = useQuery(ownCeilings);
  return !usual.isPending && !(isCloud && own.isPending);
}

/** What keys may spend in a day and a month of UTC, and how much of it they have; those that are nearest to it. */
export function Ceilings() {
  const { data: about } = useQuery(capabilities);
  const isCloud = about?.mode === 'cloud';
  const { data: own } = useQuery({ ...keys, enabled: isCloud });
  const { data: usual = {} } = useQuery(ownCeilings);
  const today = useQuery(spentIn('day')).data;
  const thisMonth = useQuery(spentIn('month')).data;
  const ceilings = isCloud
    ? (own?.keys ?? [])
        .filter(({ revokedAt }) => revokedAt === null)
        .flatMap(({ id, name, prefix, pipelineConfig }) =>
          ceilingsOf(id, name === '' ? prefix : name, [usual, optionsOf(pipelineConfig)]),
        )
    : ceilingsOf(null, 'All calls', [usual]);
  if (ceilings.length === 0) return null;
  const spent = ({ keyId, window }: Ceiling) => {
    const usage = window === 'day' ? today : thisMonth;
    const sums = keyId === null ? usage?.total : usage?.keys.find((one) => one.key_id === keyId);
    return Number(sums?.cost_usd ?? 0);
  };
  const share = (ceiling: Ceiling) => spent(ceiling) / ceiling.usd;
  const nearest = ceilings.toSorted((one, other) => share(other) - share(one));
  return (
    <Section
      title="Ceilings"
      aside={
        isCloud ? (
          <Link to="/keys" className="hover:underline">
            Keys
          </Link>
        ) : (
          'days and months of UTC'
        )
      }
    >
      {nearest.slice(0, shownMax).map((ceiling) => (
        <Gauge
          key={`${ceiling.keyId} ${ceiling.window}`}
          label={`${ceiling.name}, ${ceiling.window === 'day' ? 'today' : 'this month'}`}
          value={spent(ceiling)}
          max={ceiling.usd}
          text={`${usd(spent(ceiling))} of ${usd(ceiling.usd)} · ${percent(spent(ceiling), ceiling.usd)}`}
          tone={spent(ceiling) >= ceiling.usd * 0.9 ? 'refused' : 'accent'}
        />
      ))}
    </Section>
  );
}

function optionsOf(pipeline: string | null): Readonly<Record<string, unknown>> {
  return stagesOf(pipeline ?? '').find(({ name }) => name === 'cost-guard')?.options ?? {};
}

/** Where the gateway and the key set one, the stricter holds. */
function ceilingsOf(
  keyId: string | null,
  name: string,
  levels: readonly Readonly<Record<string, unknown>>[],
): readonly Ceiling[] {
  return windows.flatMap((window) => {
    const amounts = levels.map((options) => Number(options[window])).filter((amount) => amount > 0);
    return amounts.length === 0 ? [] : [{ keyId, name, window, usd: Math.min(...amounts) }];
  });
}
