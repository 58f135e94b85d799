import { count, utc } from '../../parts/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { titleOf } from './sections.ts';
import type { Report } from './upload.ts';

type SectionReport = Report['sections'][number];

/** What becomes of the rows of a file. */
export function ImportReport({ report }: { readonly report: Report }) {
  const { dry_run: isDryRun, complete, file, sections } = report;
  const columns: readonly Column<SectionReport>[] = [
    { title: 'Section', cell: ({ section }) => titleOf(section), long: true },
    { title: 'Rows', cell: ({ rows }) => count(rows), end: true },
    { title: isDryRun ? 'To add' : 'Added', cell: ({ added }) => count(added), end: true },
    { title: 'Here already', cell: ({ unchanged }) => count(unchanged), end: true },
    {
      title: isDryRun ? 'To replace' : 'Replaced',
      cell: ({ replaced }) => count(replaced),
      end: true,
      wide: true,
    },
    {
      title: 'Not imported',
      cell: ({ conflicts, refused, left }) => count(conflicts + refused + left),
      end: true,
    },
  ];
  return (
    <div className="flex flex-col gap-3" role="status">
      <p className="text-sm">
        {isDryRun
          ? 'Nothing has been changed. This is what an import does:'
          : complete
            ? 'Imported.'
            : 'Imported. The last calls of the log are still being written; they follow by themselves.'}{' '}
        <span className="text-muted">
          A file of {utc(file.created_at)}, by Weir {file.product} in {file.mode} mode.
        </span>
      </p>
      <Table rows={sections} rowKey={({ section }) => section} columns={columns} empty="The file is empty." />
      <ul className="flex flex-col gap-1 text-sm">
        {sections.flatMap(({ section, conflicts, conflicting, reasons }) => [
          ...(conflicts === 0
            ? []
            : [
                <li key={`${section} differing`} className="wrap-anywhere">
                  {titleOf(section)}: {count(conflicts)} {conflicts === 1 ? 'differs' : 'differ'} from what is
                  here, which stays: <span className="text-muted">{conflicting.slice(0, 10).join(', ')}</span>
                </li>,
              ]),
          ...reasons.map(({ reason, rows, first }) => (
            <li key={`${section} ${reason}`} className="wrap-anywhere">
              {titleOf(section)}: {count(rows)} not imported: {reason}
              {first !== null && <span className="text-muted">, such as {first}</span>}
            </li>
          )),
        ])}
      </ul>
    </div>
  );
}
