import { escapeHtml } from '../lib/html.ts';
import { type ProblemSlug, problems } from './problems.ts';

/** The page that explains a problem, for readers who follow its `type`. */
export function problemPage(slug: ProblemSlug): string {
  const { title, meaning } = problems[slug];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p><code>402 ${escapeHtml(slug)}</code></p>
<p>${escapeHtml(meaning)}</p>
</main>
</body>
</html>
`;
}

/** Allows no scripts and no requests. */
export const problemPagePolicy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
