/**
 * Words that attacks are made of, in lower case and without accents: English, German, Spanish, French, Italian, Portuguese, Dutch,
 * Danish, Polish, Croatian and Russian. A word may be in several families.
 */
const families = {
  /** Verbs that set aside what applied so far. */
  override: `ignore ignoring ignores disregard disregarding forget forgetting override overriding bypass overwrite neglect unlearn
    ignoriere ignorieren ignorier vergiss vergessen vergesse verwirf missachte ignora ignorar ignoren olvida olvidar olvide desobedece omite
    descarta ignorez oublie oubliez oublier dimentica scorda esquece esqueca negeer vergeet ignorer glem zignoruj zapomnij zaboravi
    ignoriraj zanemari streiche streichen забудь забудьте игнорируй игнорируите`,
  /** Before a verb they make a statement of it, not an order. */
  subject: `i we he she they you people who ich wir er du ils elles nous ellos`,
  obey: `follow following obey obeying adhere comply listen respect befolge befolgen beachte beachten`,
  negation: `not never no don't dont cannot can't cant shouldn't mustn't won't didn't doesn't isn't without avoid stop nicht nie niemals
    kein keine ohne nunca jamas sin jamais sans non mai senza nao sem niet nooit zonder ikke aldrig uden nie bez ne`,
  prior: `previous previously prior above earlier preceding before original initial initially former past foregoing until far first
    vorherigen vorherige vorheriger vorigen bisherigen bisherige obigen obige oberen fruheren fruhere vorangegangenen ursprunglichen zuvor
    vorher oben davor bisher ersten anterior anteriores previas previos previa arriba antes precedentes precedente precedents precede avant dessus
    precedenti sopra prima acima vorige eerdere bovenstaande voorgaande tidligere foregaende ovenstaende poprzednie wczesniejsze
    prethodne prethodno gore prije предыдущие предыдущих прежние прошлые`,
  all: `all everything anything any every alle alles allem samtliche samtlichen todo todas toda todos tudo tout toutes tous tutto tutte al
    alt wszystkie wszystko sve все всё`,
  everything: `everything alles todo tudo tout tutto wszystko sve alt все`,
  your: `your yours dein deine deinen deiner deinem ihre ihren ihrer tu tus ton ta tes vos votre tuo tuoi tua tue seu sua suas teu tuas je
    jouw din dine dit twoje twoj tvoje svoje svoj`,
  system: `system hidden secret internal`,
  /** What a model works by. */
  rules: `instruction instructions directive directives guideline guidelines prompt prompts rule rules programming restriction restrictions
    constraint constraints guardrail guardrails command commands anweisung anweisungen instruktion instruktionen regel regeln befehl befehle
    vorgaben instrucciones reglas indicaciones consignes regles istruzioni regole instrucoes regras instructies regels instruktioner instrukser
    regler instrukcje polecenia instrukcije upute pravila инструкции инструкций правила`,
  /** What it has read or does so far. */
  task: `task tasks order orders direction directions assignment assignments text context information message messages conversation input
    request requests job aufgabe aufgaben auftrag auftrage texte kontext informationen nachricht ausfuhrungen angaben hinweise ordenes orden tarea tareas texto tache taches
    texte compito testo tarefa tarefas opdracht opdrachten taak opgave opgaver zadanie zadatak`,
  prompt: `prompt prompts systemprompt`,
  reveal: `reveal show print repeat output display tell give write spell disclose share leak return list recite dump paste quote expose what
    what's which zeige zeig zeigen gib nenne nenn verrate verrat wiederhole welche welcher muestra muestrame dime repite revela montre affiche repete
    revele mostra dimmi mostrami ripeti mostre diga repita toon geef vertel herhaal vis sig gentag pokaz podaj pokazi reci`,
  fresh: `new next different another real actual neue neuen neuer neues nachste nueva nuevo nouvelle nouveau nuova nuovo nova novo nieuwe ny
    nowe novi novu`,
  say: `say answer respond reply write print output sag sage antworte antworten schreib schreibe di responde escribe dis reponds ecris rispondi
    scrivi diga responda escreva zeg antwoord schrijf sig svar skriv`,
  only: `only just simply exactly always nothing nur ausschliesslich immer genau solo solamente siempre seulement uniquement toujours soltanto
    sempre apenas alleen altijd kun altid`,
  now: `now instead henceforth must jetzt nun stattdessen fortan ahora maintenant desormais ora adesso agora nu teraz sada`,
  /** What came before, as something that was said. */
  told: `told instructed taught learned learnt said given gesagt gelernt mitgeteilt dicho dit appris detto dito verteld`,
  against: `despite contrary regardless notwithstanding abweichend entgegen ungeachtet trotz contrario malgre contrairement nonostante apesar
    ondanks trods`,
  ai: `ai llm chatbot assistant chatgpt gpt claude gemini copilot bard bot agent ki assistent asistente assistente`,
  tell: `tell telling mention mentioning inform informing notify notifying alert alerting warn warning disclose show`,
  person: `user users human person anyone customer owner reader`,
  mode: `mode modus modo`,
  unlocked: `developer dev debug god sudo root admin unrestricted unfiltered uncensored jailbreak jailbroken dan maintenance`,
} as const;

export type WordFamily = keyof typeof families;

const familyNames = Object.keys(families) as readonly WordFamily[];

/** A bit for each family of a word; 0 for other words. */
export function familiesOf(word: string): number {
  return familiesByWord.get(word) ?? 0;
}

export function familyBits(...names: readonly WordFamily[]): number {
  return names.reduce((bits, name) => bits | (1 << familyNames.indexOf(name)), 0);
}

const familiesByWord = new Map<string, number>();
for (const name of familyNames)
  for (const word of families[name].split(/\s/))
    familiesByWord.set(word, familiesOf(word) | familyBits(name));
