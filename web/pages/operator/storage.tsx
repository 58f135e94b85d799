import { useQuery } from '@tanstack/react-query';
import { type StoredPart, storage } from '../../api/queries.ts';
import { bytes, count, timeOf, utc } from '../../parts/format.ts';
import { Loaded, Rows, Section } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';

const titles: Readonly<Record<StoredPart['name'], string>> = {
  request_log: 'Request log',
  log_sums: 'Sums of the request log',
  recordings: 'Recordings',
  usage: 'Usage',
  receipts: 'Receipts',
  modules: 'Data of modules',
  files: 'Files and batches',
  other: 'Accounts, keys and others',
};

/** What the database holds, by how much it grows, and when old entries go. */
export function Storage() {
  const state = useQuery(storage);
  return (
    <Section
      title="Storage"
      aside={
        state.data !== undefined && (
          <span title={utc(state.data.measured_at)}>measured {timeOf(state.data.measured_at)}</span>
        )
      }
    >
      <Loaded of={state} loading={<Rows count={6} />}>
        {(data) => (
          <>
            <p className="text-sm text-muted">
              {`The database has ${bytes(data.bytes)} and grows by about ${bytes(data.bytes_per_day)} a day, before old entries are deleted.`}
            </p>
            <Table
              rows={data.parts.toSorted((one, other) => other.bytes - one.bytes)}
              rowKey={({ name }) => name}
              empty=""
              columns={[
                { title: 'Part', long: true, cell: ({ name }) => titles[name] },
                { title: 'Size', end: true, cell: ({ bytes: size }) => bytes(size) },
                {
                  title: 'Growth a day',
                  end: true,
                  cell: ({ bytes_per_day: size }) => (size === null ? '–' : `≈ ${bytes(size)}`),
                },
                { title: 'Kept', end: true, wide: true, cell: keptText },
                {
                  title: 'Expected size',
                  end: true,
                  wide: true,
                  cell: ({ expected_bytes: size }) => (size === null ? '–' : `≈ ${bytes(size)}`),
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const keptOtherwise: Readonly<Record<StoredPart['name'], string>> = {
  request_log: '–',
  log_sums: '–',
  recordings: '–',
  usage: 'with the account',
  receipts: 'for good',
  modules: 'until they expire',
  files: 'until they expire',
  other: 'with the account',
};

/** `30 days, at most 1,000,000 calls` */
function keptText({ name, kept_days: days, rows_max: rows, bytes_max: size }: StoredPart): string {
  const limits = [
    days === null ? '' : days === 1 ? '1 day' : `${count(days)} days`,
    rows === null ? '' : `at most ${count(rows)} calls`,
    size === null ? '' : `at most ${bytes(size)}`,
  ].filter((text) => text !== '');
  return limits.length === 0 ? keptOtherwise[name] : limits.join(', ');
}
