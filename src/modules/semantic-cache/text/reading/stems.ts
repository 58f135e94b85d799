/** Irregular forms. */
const irregular: ReadonlyMap<string, string> = new Map(
  `bought=buy sold=sell went=go gone=go made=make ran=run running=run wrote=write written=write took=take taken=take gave=give given=give got=get
gotten=get found=find lost=lose losing=lose won=win paid=pay sent=send said=say told=tell thought=think knew=know known=know saw=see seen=see
came=come became=become began=begin begun=begin broke=break broken=break chose=choose chosen=choose did=do done=do does=do drew=draw drawn=draw
drove=drive driven=drive ate=eat eaten=eat fell=fall fallen=fall felt=feel flew=fly flown=fly forgot=forget forgotten=forget grew=grow grown=grow
held=hold kept=keep led=lead left=leave lent=lend met=meet rose=rise risen=rise spoke=speak spoken=speak spent=spend stole=steal stolen=steal
taught=teach threw=throw thrown=throw understood=understand wore=wear worn=wear built=build caught=catch fought=fight
children=child men=man women=woman people=person feet=foot teeth=tooth mice=mouse geese=goose lives=life wives=wife knives=knife leaves=leaf
has=have had=have is=be are=be was=be were=be been=be being=be am=be data=data media=media news=news lens=lens bus=bus gas=gas
analyses=analysis criteria=criterion indices=index matrices=matrix vertices=vertex dying=die lying=lie tying=tie using=use used=use uses=use
photo=picture photos=picture pic=picture pics=picture image=picture images=picture info=information docs=documentation config=configuration app=application apps=application
repo=repository repos=repository db=database dbs=database env=environment ad=advertisement ads=advertisement advert=advertisement adverts=advertisement exam=examination exams=examination
mom=mother mum=mother dad=father tv=television movie=film movies=film bike=bicycle plane=airplane aeroplane=airplane email=mail e-mail=mail emails=mail
max=maximum min=minimum avg=average approx=approximately pls=please plz=please thx=thanks u=you ur=your wanna=want gonna=going
colour=color favourite=favorite behaviour=behavior neighbour=neighbor centre=center licence=license grey=gray programme=program cheque=check tyre=tire
travelling=travel traveling=travel cancelled=cancel canceled=cancel cancelling=cancel counselling=counsel counseling=counsel modelling=model modeling=model
ok=okay kids=child kid=child autos=car auto=car automobile=car cellphone=phone smartphone=phone mobile=phone maths=math mathematics=math`
    .split(/\s+/)
    .map((pair) => {
      const [form = '', stem = ''] = pair.split('=');
      return [form, stem] as const;
    }),
);

const stemCache = new Map<string, string>();
const cachedStemsMax = 20_000;
/** Longer words aren't cached, because they may be substrings that keep a whole text in memory. */
const cachedLettersMax = 12;

/** An approximate stem of a word. Prefixes stay, because they change the meaning. */
export function stemOf(word: string): string {
  const found = stemCache.get(word);
  if (found !== undefined) return found;
  const base = irregular.get(word);
  const stem = base === word ? word : stripEndings(base ?? word);
  if (word.length > cachedLettersMax) return stem;
  if (stemCache.size >= cachedStemsMax) stemCache.clear();
  stemCache.set(word, stem);
  return stem;
}

function stripEndings(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = word
    .replace(/isations?$/, 'ize')
    .replace(/izations?$/, 'ize')
    .replace(/is(e|es|ed|ing)$/, 'iz$1');
  stem = singularize(stem);
  const shorter = /^(.{3,})(?:ing|ed)$/.exec(stem)?.[1];
  if (shorter !== undefined && /[aeiouy]/.test(shorter)) stem = collapseFinalDouble(shorter);
  // Short forms like sued and died lose only their last letter.
  else if (/^[a-z][iouy]ed$/.test(stem)) return stem.slice(0, -1);
  if (stem.length > 5) stem = stem.replace(/(?:ally|ly)$/, '');
  return stem.length > 3 ? stem.replace(/ie$/, 'y').replace(/e$/, '') : stem;
}

function singularize(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/ies$/.test(word)) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:ch|sh|x|ss|zz|o)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function collapseFinalDouble(stem: string): string {
  return /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}
