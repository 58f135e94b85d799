import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Receipt } from '../../api/queries.ts';
import { question, textOf } from '../../parts/chat/chat.ts';
import { Button, Field, TextArea } from '../../parts/controls.tsx';
import { duration, sentenceError } from '../../parts/format.ts';
import { formats } from '../../parts/formats.ts';
import { sentence } from '../../parts/states.tsx';
import { useAnswer } from '../playground/use-answer.ts';
import { ReceiptCheck } from '../receipts/receipt-check.tsx';
import { newestReceipt, sandboxSession } from './sandbox.ts';
import { useSignUpPolicy } from './sign-up-policy.ts';

/** A prompt, its answer as it streams, and the receipt with its signature checked here. */
export function TrySandbox() {
  const canSignUp = useSignUpPolicy() === 'on';
  const [prompt, setPrompt] = useState('Why would I put a gateway in front of a model?');
  const { answer, ask } = useAnswer({ isLogged: false });
  const [receipt, setReceipt] = useState<Receipt>();
  const [left, setLeft] = useState<number>();
  const [fault, setFault] = useState<string>();
  const isUsedUp = left !== undefined && left <= 0;
  const isBusy = answer.state === 'waiting' || answer.state === 'streaming';
  const shownFault = fault ?? answer.error;
  const run = async () => {
    setFault(undefined);
    setReceipt(undefined);
    try {
      const { token, limit } = await sandboxSession();
      await ask({
        format: formats[0],
        model: 'any',
        chat: { ...question(prompt), maxTokens: 400 },
        pipeline: undefined,
        credential: token,
      });
      setLeft((before) => (before ?? limit) - 1);
      setReceipt(await newestReceipt());
    } catch (error) {
      setFault(sentenceError(error));
    }
  };
  return (
    <section aria-label="Try it" className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label="Try it" hint="Content here is public: send nothing that you would not publish.">
          {(field) => (
            <TextArea
              {...field}
              rows={2}
              required
              value={prompt}
              onChange={(event) => setPrompt(event.target.value)}
            />
          )}
        </Field>
        <div className="flex items-center gap-3">
          <Button type="submit" look="primary" busy={isBusy} disabled={isUsedUp}>
            Send
          </Button>
          <span className="text-xs text-muted">{describeLeft(left)}</span>
        </div>
      </form>
      <div
        aria-live="polite"
        className="min-h-28 rounded-md bg-sunken p-3 text-sm leading-relaxed whitespace-pre-wrap"
      >
        {answer.state === 'idle' && <span className="text-muted">The answer streams in here.</span>}
        {answer.state === 'waiting' && <span className="text-muted">Waiting for the first token…</span>}
        {textOf(answer.blocks)}
        {shownFault !== undefined && <span className="text-failed">{sentence(shownFault)}</span>}
      </div>
      {answer.firstMs !== undefined && (
        <p className="text-xs text-muted">
          First token after {duration(answer.firstMs)}
          {answer.totalMs === undefined ? '' : `, all of it after ${duration(answer.totalMs)}`}.
        </p>
      )}
      {receipt !== undefined && (
        <>
          <ReceiptCheck receipt={receipt} />
          {canSignUp && (
            <p className="text-sm">
              <Link to={'/signup' as string} className="text-accent underline">
                Sign up
              </Link>{' '}
              <span className="text-muted">and the receipt is yours.</span>
            </p>
          )}
        </>
      )}
    </section>
  );
}

function describeLeft(left: number | undefined): string {
  if (left === undefined) return 'No account or key needed.';
  if (left <= 0) return 'You have used all free calls of this session.';
  return `${left} more without an account.`;
}
