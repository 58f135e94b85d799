/** A text as it stands in a page, also inside of an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** A page of ours by itself, in one piece. */
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
