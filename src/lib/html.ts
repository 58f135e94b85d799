/** Escapes a text for HTML, including attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** A standalone page of the gateway. */
export function htmlPage({ title, style, body }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Weir</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

interface HtmlPage {
  readonly title: string;
  readonly style: string;
  readonly body: string;
}
