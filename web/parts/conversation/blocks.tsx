import { useState } from 'react';
import { Button } from '../controls.tsx';
import { count } from '../format.ts';
import { Badge } from '../states.tsx';
import { type Block, blocksOf, imageAddress, isObject, textIn } from './content.ts';

interface BlocksProps {
  readonly blocks: readonly Block[];
  /** The results of tools by the id of their call. */
  readonly results?: ReadonlyMap<unknown, Block>;
}

/** Content as people read it. Everything in it is shown as text. */
export function Blocks({ blocks, results }: BlocksProps) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name, and keep their order
        <BlockView key={index} block={block} results={results} />
      ))}
    </div>
  );
}

function BlockView({ block, results }: { readonly block: Block; readonly results: BlocksProps['results'] }) {
  switch (block.type) {
    case 'text':
      return <LongText text={textIn(block.text)} />;
    case 'thinking':
      return (
        <Folded title="Thinking">
          <LongText text={textIn(block.thinking)} />
        </Folded>
      );
    case 'redacted_thinking':
      return <p className="text-xs text-muted">Thinking, encrypted by the provider</p>;
    case 'tool_use':
      return <ToolCall block={block} result={results?.get(block.id)} />;
    case 'tool_result':
      return <ToolResult block={block} />;
    case 'image':
      return <Picture source={block.source} />;
    case 'document':
      return <Attachment block={block} />;
    default:
      return (
        <Folded title={textIn(block.type) || 'Other content'}>
          <Json value={block} />
        </Folded>
      );
  }
}

function ToolCall({ block, result }: { readonly block: Block; readonly result: Block | undefined }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-2.5">
      <p className="text-xs text-muted">
        Calls <bdi className="font-mono font-medium wrap-anywhere text-ink">{textIn(block.name)}</bdi>
      </p>
      <Json value={block.input} />
      {result !== undefined && <ToolResult block={result} />}
    </div>
  );
}

function ToolResult({ block }: { readonly block: Block }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5 border-l-2 border-line pl-2.5">
      <p className="flex items-center gap-2 text-xs text-muted">
        Result {block.is_error === true && <Badge tone="failed">Error</Badge>}
      </p>
      <Blocks blocks={blocksOf(block.content)} />
    </div>
  );
}

function Picture({ source }: { readonly source: unknown }) {
  const address = imageAddress(source);
  if (address !== undefined)
    return (
      <img src={address} alt="In the conversation" className="max-h-80 max-w-full self-start rounded-md" />
    );
  const url = isObject(source) && typeof source.url === 'string' ? source.url : undefined;
  return (
    <p className="text-xs wrap-anywhere text-muted">
      Image, not shown{url === undefined ? '' : ': '}
      <bdi>{url}</bdi>
    </p>
  );
}

function Attachment({ block: { title, source } }: { readonly block: Block }) {
  const { type, media_type: media, data } = isObject(source) ? source : {};
  return (
    <Folded title={`Document ${textIn(title)} ${textIn(media)}`}>
      {type === 'text' ? <LongText text={textIn(data)} /> : <p className="text-xs text-muted">Not shown</p>}
    </Folded>
  );
}

function Folded({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <details className="min-w-0 text-sm">
      <summary className="cursor-pointer text-xs wrap-anywhere text-muted">
        <bdi>{title}</bdi>
      </summary>
      <div className="mt-1.5 border-l-2 border-line pl-2.5 text-muted">{children}</div>
    </details>
  );
}

function Json({ value }: { readonly value: unknown }) {
  return <LongText text={textIn(value)} isCode />;
}

const charactersShown = 4000;

/** Long texts are cut until somebody wants to read on. */
export function LongText({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  const [all, setAll] = useState(false);
  const isCut = text.length > charactersShown && !all;
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <p
        dir="auto"
        className={`w-full wrap-anywhere whitespace-pre-wrap ${isCode ? 'font-mono text-xs leading-relaxed' : 'text-sm leading-relaxed'}`}
      >
        {isCut ? `${text.slice(0, charactersShown)}…` : text}
      </p>
      {isCut && (
        <Button look="quiet" className="-ml-3" onClick={() => setAll(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </div>
  );
}
