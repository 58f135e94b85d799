import { useQuery } from '@tanstack/react-query';
import { type Recording, recording } from '../../../api/queries.ts';
import { CopyButton } from '../../../parts/controls.tsx';
import { LongText } from '../../../parts/conversation/blocks.tsx';
import { count } from '../../../parts/format.ts';
import { Loaded, Rows } from '../../../parts/states.tsx';

/** The bodies as they were sent, JSON with line breaks. */
export function RawBodies({ id }: { readonly id: string }) {
  return (
    <Loaded of={useQuery(recording(id))} loading={<Rows count={6} />}>
      {({ request, provider_request: sent, response }) => (
        <>
          <Body title="Request" part={request} />
          {sent !== null && !sent.unchanged && <Body title={`Request to ${sent.provider}`} part={sent} />}
          <Body title="Response" part={response} />
        </>
      )}
    </Loaded>
  );
}

type Part = Pick<Recording['request'], 'body' | 'encoding' | 'bytes' | 'truncated'>;

function Body({
  title,
  part: { body, encoding, bytes, truncated },
}: {
  readonly title: string;
  readonly part: Part;
}) {
  const text = encoding === 'utf8' ? prettyJson(body) : body;
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1">
      <div className="flex items-center justify-between gap-2">
        <h4 className="text-xs font-medium text-muted">
          {title}, {count(bytes)} bytes{truncated && body !== '' ? ', of which the beginning is stored' : ''}
        </h4>
        <CopyButton text={body} label={`Copy ${title.toLowerCase()}`} />
      </div>
      {body === '' ? <p className="text-sm text-muted">Not stored</p> : <LongText text={text} isCode />}
    </section>
  );
}

export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
