import type { Tool } from '../../../module-api.ts';
import { descriptionOf, shortNameOf } from './tool-text.ts';
import { splitIntoWords } from './words.ts';

/** A tool's purpose is in its name and first sentence. */
const charactersRead = 300;

/** Whether a tool may serve any request without being mentioned: it runs commands or code, searches the web, or asks the user. */
export function isGeneralPurpose(tool: Tool): boolean {
  return generalPurposePattern.test(purposeOf(tool));
}

/** What a request may refer to without asking for it: who names a file wants it read or written. */
export const referenceKinds = ['file', 'page'] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

/** The kind of references that a tool opens. */
export function referencesOpenedBy(tool: Tool): ReferenceKind | undefined {
  const purpose = purposeOf(tool);
  return referenceKinds.find((kind) => opens[kind].test(purpose));
}

/** Whether a text refers to something of this kind. */
export function refersTo(kind: ReferenceKind, text: string): boolean {
  return references[kind].test(text);
}

const opens: Readonly<Record<ReferenceKind, RegExp>> = {
  file: /^(?:read|write|edit|list|create|view)\b.{0,20}\b(?:files?|director(?:y|ies)|folders?)\b/i,
  page: /\b(?:fetch\w*|navigat\w*|open\w*|visit\w*|scrap\w*|read\w*)\b.{0,40}\b(?:urls?|web ?sites?|web ?pages?)\b/i,
};

const references: Readonly<Record<ReferenceKind, RegExp>> = {
  file: /(?:^|[\s"'`(])(?:~|\.{1,2})?\/[\w.-]|\w\.(?:bib|csv|docx?|json|log|md|pdf|png|jpe?g|py|sh|sql|ts|txt|xlsx?|xml|ya?ml|zip)\b/i,
  page: /\bhttps?:\/\/|\bwww\.|\w\.(?:app|com|dev|io|local|net|org)\b/i,
};

function purposeOf(tool: Tool): string {
  const [sentence = ''] = descriptionOf(tool)
    .trim()
    .slice(0, charactersRead)
    .split(/(?<=[.!?])\s|\n/, 1);
  return `${splitIntoWords(shortNameOf(tool.name))}: ${sentence}`;
}

const runsCommands =
  '\\b(?:execut\\w*|runs?|running|evaluat\\w*|interpret\\w*)\\b.{0,40}\\b(?:commands?|shell|bash|powershell|terminal|scripts?|code|python|javascript|sandbox)\\b';
const searchesTheWeb =
  '\\bweb ?search|\\b(?:search\\w*|brows\\w*|query|queries|look\\w* up)\\b.{0,40}\\b(?:the web|internet|google|bing|duckduckgo|online|web pages?|search engine)\\b';
const asksAPerson =
  '\\bhuman (?:agent|operator|support|assistan\\w*|representative)s?\\b|\\b(?:ask|transfer|escalate|hand)\\w*\\b.{0,30}\\b(?:human|person|live agent|operator|representative)\\b';

const generalPurposePattern = new RegExp([runsCommands, searchesTheWeb, asksAPerson].join('|'), 'i');
