import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bypassReasonOf } from './bypass.ts';
import { parsePrompt } from './text/reading/prompt.ts';

const why = (text: string, current: 'bypass' | 'allow' = 'bypass') =>
  bypassReasonOf(parsePrompt(text), { current });

test('what changes with the day is not looked up, unless somebody says so', () => {
  for (const text of [
    'What is the latest version of Node?',
    'What is the weather in Rome?',
    'Who is winning right now?',
    'When does the next train leave?',
    'What is the price of gold?',
    'Has the album been released yet?',
    'Who is the champion now?',
  ]) {
    assert.equal(why(text), 'current', text);
    assert.equal(why(text, 'allow'), undefined, text);
  }
  assert.equal(why('Who won the 1998 World Cup?'), undefined);
  assert.equal(why('My kettle leaks. What should I do now?'), undefined);
});

test('languages and scripts that the models do not know are not looked up', () => {
  for (const text of [
    'Wie kann ich mein Passwort zurücksetzen?',
    'パスワードを忘れました',
    'как дела сегодня',
    '¿Dónde está mi pedido?',
    'Give me ٣ names for a dog',
    'Is payр\u0430l.com safe to visit?',
    'Explain the 𝐚𝐝𝐝 method of sets',
    'Ｅｘｐｌａｉｎ the method of sets',
  ])
    assert.equal(why(text), 'language', text);
  assert.equal(why('How do you say "guten Morgen" in English?'), undefined);
  for (const text of [
    'Berapa harga beras merah',
    'Nani aligundua dawa ya malaria',
    'Mika on Suomen pisin joki',
    'aap ka naam kya hai',
  ])
    assert.equal(why(text), 'language', text);
  for (const text of [
    'What does déjà vu mean?',
    'Who owns example.com?',
    'What is El Capitan?',
    'python sort list',
  ])
    assert.equal(why(text), undefined, text);
});

test('words that mean nothing by themselves are not looked up', () => {
  for (const text of ['yes', 'ok', 'continue', 'go on', '?', 'why']) assert.equal(why(text), 'short', text);
  assert.equal(why('What is photosynthesis?'), undefined);
});

test('what should be something else each time is not looked up', () => {
  for (const text of [
    'Tell me another joke about cats',
    'Pick a random number',
    'Generate a password for me',
  ])
    assert.equal(why(text), 'varied', text);
});
