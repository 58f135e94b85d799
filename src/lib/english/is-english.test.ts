import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEnglish } from './is-english.ts';

test('short requests in other languages are told from English ones', () => {
  for (const text of [
    'Welche Rechnungen sind noch offen?',
    'Öffne das Issue 42 im Repository weir',
    'Montre-moi les factures impayées',
    'Liste les pull requests de Paul',
    'Abre el ticket 42 de Jira',
    'Quali fatture non sono pagate?',
    'Quais faturas ainda estão abertas?',
    'Welke facturen staan nog open?',
    'Vilka fakturor är obetalda?',
    'Które faktury nie są zapłacone?',
    'Které faktury nejsou zaplacené?',
    'Hangi faturalar ödenmedi?',
    'Faktur mana yang belum dibayar?',
    'Mitkä laskut ovat maksamatta?',
    'Hóa đơn nào chưa thanh toán?',
    'Какие счета не оплачены?',
    '未払いの請求書を見せて',
    '列出所有未付款的发票',
    'اعرض الفواتير غير المدفوعة',
  ])
    assert.equal(isEnglish(text), false, text);
});

test('English is recognized with names, code, quotes and texts to translate in it', () => {
  for (const text of [
    'list open pull requests',
    'Why does getUser() return null in src/api/Users.ts?',
    'Show the flights of Björn Åkesson to São Paulo',
    'What does `SELECT * FROM rechnungen WHERE bezahlt` return?',
    'Translate "Wo ist der Bahnhof?" for me',
    'How do you say 谢谢 in English?',
    '"Which invoices are unpaid?"',
    'DELETE THE INVOICE OF JUAN GARCIA',
    'kubectl get pods -n staging',
    '12 * 7',
    '',
  ])
    assert.equal(isEnglish(text), true, text);
});
