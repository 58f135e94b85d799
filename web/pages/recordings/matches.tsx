import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { recordingSearch } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { count, timeOf, utc } from '../../parts/format.ts';
import { Loaded, Rows } from '../../parts/states.tsx';

/** What a search found, and how far it looked. */
export function Matches({ text }: { readonly text: string }) {
  const found = useInfiniteQuery(recordingSearch(text));
  return (
    <Loaded of={found} loading={<Rows count={6} />}>
      {({ pages }) => {
        const matches = pages.flatMap((page) => page.matches);
        const searched = pages.reduce((sum, page) => sum + page.searched, 0);
        const end = pages.at(-1)?.searched_to ?? null;
        return (
          <div className="flex flex-col gap-4">
            <p role="status" className="text-sm text-muted">
              {plural(matches.length, 'match', 'matches')} in {plural(searched, 'recording', 'recordings')},{' '}
              {end === null ? 'all there are' : `back to ${timeOf(end)}`}. A search reads 500 recordings or 32
              MB at a time.
            </p>
            <ul className="flex flex-col divide-y divide-line">
              {matches.map(({ id, created_at: at, model, excerpt }) => (
                <li key={id} className="flex min-w-0 flex-col gap-0.5 py-2">
                  <div className="flex flex-wrap items-baseline gap-x-3 text-xs text-muted">
                    <Link
                      to="/requests"
                      search={{ open: id }}
                      className="text-sm text-accent hover:underline"
                    >
                      <span title={utc(at)}>{timeOf(at)}</span>
                    </Link>
                    <bdi className="font-mono wrap-anywhere">{model}</bdi>
                  </div>
                  <p dir="auto" className="text-sm wrap-anywhere">
                    {excerpt}
                  </p>
                </li>
              ))}
            </ul>
            {found.hasNextPage && (
              <Button
                className="self-start"
                busy={found.isFetchingNextPage}
                onClick={() => void found.fetchNextPage()}
              >
                Search older recordings
              </Button>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function plural(number: number, one: string, several: string): string {
  return `${count(number)} ${number === 1 ? one : several}`;
}
