import type { Tool } from '../../../module-api.ts';
import { descriptionOf } from './tool-text.ts';
import { splitIntoWords } from './words.ts';

/** A tool's purpose is in its name and first sentence. */
const charactersRead = 300;

/** Whether a tool may serve any request without being mentioned: it runs commands or code, searches the web, or asks the user. */
export function isGeneralPurpose(tool: Tool): boolean {
  const [sentence = ''] = descriptionOf(tool)
    .trim()
    .slice(0, charactersRead)
    .split(/(?<=[.!?])\s|\n/, 1);
  return generalPurposePattern.test(`${splitIntoWords(tool.name)}: ${sentence}`);
}

const runsCommands =
  '\\b(?:execut\\w*|runs?|running|evaluat\\w*|interpret\\w*)\\b.{0,40}\\b(?:commands?|shell|bash|powershell|terminal|scripts?|code|python|javascript|sandbox)\\b';
const searchesTheWeb =
  '\\bweb ?search|\\b(?:search\\w*|brows\\w*|query|queries|look\\w* up)\\b.{0,40}\\b(?:the web|internet|google|bing|duckduckgo|online|web pages?|search engine)\\b';
const asksAPerson =
  '\\bhuman (?:agent|operator|support|assistan\\w*|representative)s?\\b|\\b(?:ask|transfer|escalate|hand)\\w*\\b.{0,30}\\b(?:human|person|live agent|operator|representative)\\b';

const generalPurposePattern = new RegExp([runsCommands, searchesTheWeb, asksAPerson].join('|'), 'i');
