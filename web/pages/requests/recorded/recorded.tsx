import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../../api/client.ts';
import { capabilities, conversation, type RecordedConversation } from '../../../api/queries.ts';
import { Choice, CopyButton, IconButton } from '../../../parts/controls.tsx';
import { Conversation } from '../../../parts/conversation/conversation.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Loaded, Rows, sentence } from '../../../parts/states.tsx';
import { RawBodies } from './raw-bodies.tsx';
import { RequestDiff } from './request-diff.tsx';

const views = [
  ['read', 'Conversation'],
  ['diff', 'Changes'],
  ['raw', 'JSON'],
] as const;
type View = (typeof views)[number][0];

/** What a recorded call asked and got: as a conversation, as what modules changed, and as it was sent. */
export function Recorded({ id }: { readonly id: string }) {
  const { data: about } = useQuery(capabilities);
  const asked = useQuery(conversation(id));
  const [view, setView] = useState<View>('read');
  const [isWide, setWide] = useState(false);
  if (asked.error instanceof ApiError && asked.error.status === 404)
    return <p className="text-xs text-muted">The recording of this call was deleted.</p>;
  const body = (
    <Loaded of={asked} loading={<Rows count={6} />}>
      {(found) => <Content id={id} found={found} view={view} />}
    </Loaded>
  );
  const choice = <Choice label="Shown as" value={view} options={views} onChange={setView} />;
  return (
    <section aria-label="Content" className="flex min-w-0 flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-xs font-medium text-muted">Content</h3>
        <IconButton label="Enlarge" onClick={() => setWide(true)}>
          <Maximize2 aria-hidden />
        </IconButton>
      </div>
      {choice}
      {body}
      <div className="flex flex-wrap gap-2">
        <Link
          to="/playground"
          search={{ from: id }}
          className="inline-flex h-8 items-center rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-edge"
        >
          Open in playground
        </Link>
        <CopyButton wide text={`${location.origin}/requests?open=${id}`} label="Copy link" />
      </div>
      {about?.mode === 'cloud' && (
        <p className="text-xs text-muted">The link works for those who can log in to this account.</p>
      )}
      <Dialog open={isWide} onClose={() => setWide(false)} title="Content" wide>
        {choice}
        {body}
      </Dialog>
    </section>
  );
}

const notes: Readonly<Record<RecordedConversation['redaction'], string | undefined>> = {
  none: undefined,
  masked: 'Stored as the redacting module passed it on: values that it masked stay masked.',
  withheld: 'The content is not stored: a redacting module blocked this call, or a cache answered before it.',
};

interface ContentProps {
  readonly id: string;
  readonly found: RecordedConversation;
  readonly view: View;
}

function Content({ id, found, view }: ContentProps) {
  const { request, answer, error, redaction } = found;
  const note = notes[redaction];
  return (
    <>
      {note !== undefined && <p className="rounded-md bg-sunken px-3 py-2 text-xs">{note}</p>}
      {view === 'read' && request === null && answer === null && redaction !== 'withheld' && (
        <p className="text-sm text-muted">This call can’t be shown as a conversation. See JSON.</p>
      )}
      {view === 'read' && <Conversation request={request} answer={answer} />}
      {view === 'read' && error !== null && (
        <p className="text-sm wrap-anywhere text-failed">{sentence(error)}</p>
      )}
      {view === 'diff' && <RequestDiff id={id} found={found} />}
      {view === 'raw' && <RawBodies id={id} />}
    </>
  );
}
