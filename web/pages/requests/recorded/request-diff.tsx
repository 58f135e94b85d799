import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type RecordedConversation, recording } from '../../../api/queries.ts';
import { diffLists } from '../../../parts/diff.ts';
import { LineDiff } from '../../../parts/diff-view.tsx';
import { Loaded, Rows } from '../../../parts/states.tsx';
import { prettyJson } from './raw-bodies.tsx';

interface RequestDiffProps {
  readonly id: string;
  readonly found: RecordedConversation;
}

/** What the provider got in place of what the client sent. */
export function RequestDiff({ id, found }: RequestDiffProps) {
  return (
    <Loaded of={useQuery(recording(id))} loading={<Rows count={6} />}>
      {({ provider_request: sent, request, wire_format: format }) => {
        if (sent === null) return <Note>No request was sent to a provider.</Note>;
        if (sent.unchanged) return <Note>{sent.provider} got exactly what the client sent.</Note>;
        const isTranslated = sent.wire_format !== format;
        // In one shape, so that a translation alone is no difference.
        const sides =
          found.request !== null && found.provider_request !== null
            ? ([found.request, found.provider_request].map((side) => JSON.stringify(side, shortened, 2)) as [
                string,
                string,
              ])
            : ([prettyJson(request.body), prettyJson(sent.body)] as const);
        return (
          <>
            <Note>
              What {sent.provider} got ({sent.model}) in place of what the client sent
              {isTranslated ? `, translated from ${format} to ${sent.wire_format}.` : '.'}
            </Note>
            <Difference before={sides[0]} after={sides[1]} />
          </>
        );
      }}
    </Loaded>
  );
}

function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  const runs = useMemo(() => diffLists(before.split('\n'), after.split('\n')), [before, after]);
  if (runs.every(({ kind }) => kind === 'same')) return <Note>The content is the same.</Note>;
  return <LineDiff runs={runs} label="Changes of the request" />;
}

function Note({ children }: { readonly children: React.ReactNode }) {
  return <p className="text-xs wrap-anywhere text-muted">{children}</p>;
}

const charactersMax = 20_000;

/** Data of images would fill the screen. */
function shortened(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > charactersMax
    ? `${value.slice(0, 100)}… (${value.length} characters)`
    : value;
}
