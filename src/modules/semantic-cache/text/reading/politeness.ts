/** For normalized text with single spaces. */
const politenessPatterns: readonly RegExp[] = [
  /^(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))(?: (?:there|all|everyone|team|assistant|bot|claude|gpt|chatgpt))?|ok(?:ay)?|so|um+|well|now|quick question|one (?:more )?(?:question|thing)|question|i have a (?:quick )?question|sorry to bother you|just curious|excuse me)\b ?[,.!:;-]* (?=\S)/i,
  /^(?:please|pls|plz|kindly)\b[,:]?\s*/i,
  /^(?:can|could|would|will) you (?:please |kindly )?(?:help me (?:to |out (?:and )?)?|go ahead and )?(?:please )?(?=\w)/i,
  /^would you (?:be so kind as to|mind) /i,
  /^(?:i (?:need|want)|i'd like|i would like) you to /i,
  /^(?:i was wondering|i wonder|i'd (?:like|love) to know|i would like to know|i want to know|i need to know|please tell me|tell me|let me know|do you know|can you tell me|can anyone tell me|does anyone know|any idea)\b[,:]?\s+(?=(?:how|what|why|when|where|who|which|whether|if|is|are|can|does|do|should)\b)/i,
  /^(?:tell me|do you know|can you tell me|could you tell me|i(?:'d like| would like| want| need) to know|give me)\s+(?=(?:the|my)\b)/i,
  /[,.!?]? ?(?:thanks|thank you|thx|cheers|many thanks)(?: (?:so much|a lot|very much|in advance|you))* ?[.!]*$/i,
  /[,.]? (?:please|pls|plz)(?: help| advise| explain)? ?(?=[.!?]*$)/i,
  / ?(?:any help (?:is|would be) (?:welcome|appreciated)|i'd appreciate any help) ?[.!]*$/i,
];

/** Removes greetings, thanks and phrases like "please", which don't change the request. */
export function* removePoliteness(text: string): Generator<undefined, string> {
  let bare = text;
  for (let pass = 0; pass < 3; pass++) {
    const before = bare;
    for (const phrase of politenessPatterns) {
      const shorter = bare.replace(phrase, '').trim();
      if (shorter.length > 2) bare = shorter;
      yield;
    }
    if (bare === before) break;
  }
  return bare;
}
