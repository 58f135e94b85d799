import { WordTable } from './word-table.ts';

/**
 * Mutually exclusive words of one kind: the answer for one doesn't serve another. One line per kind, with synonyms after an
 * equals sign. `!` marks kinds where naming a value and naming none are different requests.
 */
const lines = `
unit of length: kilometer=kilometers=kilometre=kilometres=km=kms; mile=miles=mi; meter=meters=metre=metres; centimeter=centimeters=centimetre=centimetres=cm; millimeter=millimeters=millimetre=millimetres=mm; inch=inches; foot=feet=ft; yard=yards; micron=microns; nautical mile=nautical miles; light year=light years; parsec=parsecs
!unit of weight: kilogram=kilograms=kilo=kilos=kg=kgs; gram=grams; milligram=milligrams=mg; microgram=micrograms=mcg; pound=pounds=lb=lbs; ounce=ounces=oz; ton=tons; tonne=tonnes; carat=carats
!unit of volume: liter=liters=litre=litres; milliliter=milliliters=millilitre=millilitres=ml; gallon=gallons; quart=quarts; pint=pints; cup=cups; tablespoon=tablespoons=tbsp; teaspoon=teaspoons=tsp; barrel=barrels; fluid ounce=fluid ounces
!unit of area: hectare=hectares; acre=acres; square meter=square meters=square metres=sqm; square foot=square feet=sqft; square kilometer=square kilometers; square mile=square miles
unit of time: second=seconds=sec=secs; minute=minutes=min=mins; hour=hours=hr=hrs; day=days; week=weeks; month=months; quarter=quarters; year=years=yr=yrs; decade=decades; century=centuries; millisecond=milliseconds=ms; microsecond=microseconds; nanosecond=nanoseconds; fortnight
!unit of temperature: celsius=centigrade; fahrenheit; kelvin
!unit of data: bit=bits; byte=bytes; kilobyte=kilobytes=kb; megabyte=megabytes=mb; gigabyte=gigabytes=gb; terabyte=terabytes=tb; petabyte=petabytes=pb; kibibyte=kib; mebibyte=mib; gibibyte=gib; megabit=megabits=mbps; gigabit=gigabits=gbps; kilobit=kilobits=kbps
!unit of energy: joule=joules; kilojoule=kilojoules=kj; calorie=calories; kilocalorie=kilocalories=kcal; watt=watts; kilowatt=kilowatts=kw; megawatt=megawatts; horsepower=hp; kilowatt hour=kilowatt hours=kwh; volt=volts; amp=amps=ampere=amperes; ohm=ohms; newton=newtons; pascal=pascals; psi; atmosphere=atmospheres; hertz=hz; kilohertz=khz; megahertz=mhz; gigahertz=ghz; decibel=decibels=db
share: percent=%=pct; percentage point=percentage points; basis point=basis points=bps; permille
!unit of angle: radian=radians; gradian=gradians; arcminute=arcminutes
!speed: mph; kph=kmh; knot=knots; mach
!currency: dollar=dollars=usd; euro=euros=eur; sterling=gbp=quid; yen=jpy; yuan=renminbi=cny=rmb; rupee=rupees=inr; franc=francs=chf; krona=kronor=sek; krone=kroner=nok=dkk; zloty=pln; ruble=rubles=rub; rand=zar; peso=pesos=mxn; brl; lira; krw; baht=thb; shekel=shekels=ils; dirham=dirhams=aed; riyal=riyals=sar; cad=canadian dollar=canadian dollars; aud=australian dollar=australian dollars; bitcoin=btc; ethereum=eth; dogecoin; cent=cents; penny=pennies=pence
!language: english; french; spanish; german; italian; portuguese; dutch; swedish; danish; norwegian; finnish; icelandic; polish; czech; slovak; hungarian; romanian; bulgarian; serbian; croatian; slovenian; greek; turkish; russian; ukrainian; arabic; hebrew; persian=farsi; hindi; urdu; bengali; punjabi; tamil; telugu; marathi; gujarati; malayalam; kannada; chinese=mandarin; cantonese; japanese; korean; vietnamese; thai; indonesian; malay; tagalog=filipino; swahili; latin; esperanto; welsh; irish=gaelic; catalan; basque; afrikaans; zulu; amharic; nepali; sanskrit; mongolian; kazakh; georgian; armenian; albanian; estonian; latvian; lithuanian
!programming language: python; javascript=js; typescript=ts; java; c++=cpp; c#=csharp; golang; rust; ruby; php; swift; kotlin; scala; haskell; bash; powershell; perl; lua; elixir; erlang; clojure; julia; matlab; fortran; cobol; dart; groovy; assembly; sql; plsql; vba; objective-c; ocaml; f#=fsharp; zig; nim; solidity; abap; delphi; lisp; prolog; awk; sed
!operating system: windows; macos=osx; linux; ubuntu; debian; fedora; centos; redhat=rhel; freebsd; alpine; android; ios; ipados; chromeos; watchos; raspbian; suse; solaris
!format: json; yaml=yml; xml; csv; tsv; html; markdown=md; latex; pdf; docx; xlsx; pptx; txt; plaintext=plain text; toml; ini; parquet; avro; protobuf; png; jpg=jpeg; gif; svg; webp; bmp; tiff; mp3; mp4; wav; flac; ogg; avi; mkv; mov; epub; mobi; zip; tar; gzip; rtf; ndjson=jsonl=json lines; ics; vcf
!shape of an answer: table; bullet points=bullet point=bullets=bulleted list=bullet list; numbered list=ordered list; paragraph=paragraphs; sentence=sentences; essay; poem; haiku; limerick; sonnet; song; rap; story=tale; tweet; email=e-mail; letter; memo; speech; slogan; headline=headlines; tagline; diagram=flowchart; chart=graph; checklist; timeline; script=screenplay; dialogue; blog post=blog article; press release; cover letter; resume=cv; report; outline; quiz; riddle; joke; recipe; caption; hashtag=hashtags; one-liner; abstract; agenda; invoice; contract; spreadsheet; slide=slides; emoji=emojis; acronym; pseudocode; docstring; changelog; readme
tone: formal; informal=casual; friendly; polite; angry; humorous=funny; sarcastic; professional; persuasive; neutral; enthusiastic; sad; serious; playful; empathetic; assertive; poetic; academic; romantic; apologetic; technical; blunt
month: january=jan; february=feb; march; april=apr; june=jun; july=jul; august=aug; september=sept=sep; october=oct; november=nov; december=dec
weekday: monday=mondays=mon; tuesday=tuesdays=tue=tues; wednesday=wednesdays; thursday=thursdays=thu=thurs; friday=fridays=fri; saturday=saturdays; sunday=sundays; weekday=weekdays; weekend=weekends
day: today; tomorrow; yesterday; tonight
!time zone: utc=gmt=zulu time; est=edt=eastern time; pst=pdt=pacific time; cst=cdt=central time; mst=mdt=mountain time; cet=cest; eet=eest; bst; ist; jst; kst; hkt; sgt; aest=aedt; acst; awst; nzst=nzdt; akst; hst; brt; msk
season: summer; winter; autumn; springtime
part of the day: morning=mornings; noon=midday; afternoon=afternoons; evening=evenings; night=nights; midnight; dawn; dusk
how often: hourly; daily; weekly; biweekly; monthly; quarterly; yearly=annual=annually; once; twice; thrice; bimonthly; biannual
meal: breakfast; brunch; lunch; dinner; supper; dessert; snack=snacks
!country: afghanistan; albania; algeria; argentina; armenia; australia=australian=australians; austria=austrian=austrians; azerbaijan; bangladesh; belarus; belgium=belgian=belgians; bolivia; bosnia; brazil=brazilian=brazilians; bulgaria; cambodia; cameroon; canada=canadian=canadians; chile; china; colombia; costa rica; croatia; cuba; cyprus; denmark; ecuador; egypt=egyptian=egyptians; england; estonia; ethiopia; finland; france; germany; ghana; greece; guatemala; haiti; honduras; hungary; iceland; india=indian=indians; indonesia; iran=iranian=iranians; iraq=iraqi=iraqis; ireland; israel=israeli=israelis; italy; jamaica; japan; jordan; kazakhstan; kenya=kenyan=kenyans; kuwait; laos; latvia; lebanon; libya; lithuania; luxembourg; madagascar; malaysia; malta; mexico=mexican=mexicans; moldova; mongolia; montenegro; morocco; mozambique; myanmar=burma; namibia; nepal; netherlands=holland; new zealand; nicaragua; nigeria=nigerian=nigerians; north korea; norway; oman; pakistan=pakistani=pakistanis; palestine; panama; paraguay; peru; philippines; poland; portugal; qatar; romania; russia; rwanda; saudi arabia; scotland; senegal; serbia; singapore; slovakia; slovenia; somalia; south africa; south korea; spain; sri lanka; sudan; sweden; switzerland; syria; taiwan; tanzania; thailand; tunisia; turkey; uganda; ukraine; uae=united arab emirates; uk=united kingdom=britain=great britain=british=britons; usa=united states=u.s.=u.s.a.=the us=america=american=americans; uruguay; uzbekistan; venezuela; vietnam; wales; yemen; zambia; zimbabwe
!region: europe; asia; africa; oceania; antarctica; north america; south america; latin america; middle east; scandinavia; balkans; texas; california; florida; new york state; ohio; illinois; georgia; arizona; nevada; oregon; colorado; alaska; hawaii; michigan; virginia; massachusetts; bavaria; catalonia; quebec; ontario; alberta; british columbia; punjab; kerala; maharashtra; gujarat; rajasthan; bihar; tamil nadu; karnataka; queensland; victoria; eu=european union
!city: london; paris; new york=nyc=new york city; tokyo; berlin; rome; madrid; barcelona; amsterdam; vienna; prague; lisbon; dublin; chicago; los angeles=la; san francisco; seattle; boston; miami; toronto; vancouver; montreal; sydney; melbourne; dubai; abu dhabi; istanbul; mumbai=bombay; delhi=new delhi; bangalore=bengaluru; chennai=madras; kolkata=calcutta; hyderabad; pune; ahmedabad; jaipur; bangkok; seoul; cairo; athens; copenhagen; stockholm; oslo; helsinki; munich; hamburg; frankfurt; cologne; denver; austin; dallas; houston; atlanta; phoenix; philadelphia; washington; las vegas; san diego; portland; detroit; orlando; milan; naples; venice; florence; turin; geneva; zurich; porto; brussels; antwerp; rotterdam; warsaw; krakow; budapest; bucharest; sofia; belgrade; zagreb; kyiv=kiev; moscow; saint petersburg; beijing; shanghai; shenzhen; hong kong; taipei; osaka; kyoto; manila; jakarta; kuala lumpur; hanoi; karachi; lahore; islamabad; dhaka; tehran; baghdad; riyadh; doha; tel aviv; jerusalem; nairobi; lagos; accra; johannesburg; cape town; casablanca; mexico city; bogota; lima; santiago; buenos aires; sao paulo; rio de janeiro; caracas; havana; edinburgh; glasgow; manchester; birmingham; liverpool; bristol; leeds; lyon; marseille; bordeaux; toulouse; seville; valencia
continent's people: european=europeans; asian=asians; african=africans
planet: mercury; venus; earth; mars; jupiter; saturn; uranus; neptune; pluto; moon; sun
color: red; blue; green; yellow; orange; purple; pink; brown; black; white; gray=grey; violet; turquoise; beige; magenta; cyan; silver; golden
direction: north=northern; south=southern; east=eastern; west=western; left; right; northeast; northwest; southeast; southwest; clockwise; counterclockwise=anticlockwise
relative: mother=mom=mum; father=dad; sister; brother; son; daughter; husband; wife; grandmother=grandma; grandfather=grandpa; aunt; uncle; niece; nephew; cousin; girlfriend; boyfriend; fiance; mother-in-law; father-in-law
gender: man=men=male=males=guy=guys; woman=women=female=females
gender of the young: boy=boys; girl=girls
gender of a person: he=him=his=himself; she=her=hers=herself
animal: dog=dogs=puppy; cat=cats=kitten; horse=horses; cow=cows; pig=pigs; sheep; goat=goats; chicken=chickens; duck=ducks; rabbit=rabbits; hamster=hamsters; mouse; rat=rats; snake=snakes; lizard=lizards; turtle=turtles; fish; shark=sharks; whale=whales; dolphin=dolphins; bird=birds; parrot=parrots; lion=lions; tiger=tigers; bear=bears; wolf=wolves; fox=foxes; elephant=elephants; monkey=monkeys; spider=spiders; bee=bees; ant=ants; frog=frogs; crocodile=crocodiles; alligator=alligators
drink: coffee; tea; beer; wine; water; milk; juice; soda; whiskey=whisky; vodka; rum; gin
food: rice; pasta; bread; beef; pork; lamb; salmon; tuna; tofu; cheese; butter; margarine; egg=eggs; sugar; honey; salt; pepper; flour; potato=potatoes; tomato=tomatoes; onion=onions; garlic; apple=apples; banana=bananas; lemon=lemons; strawberry=strawberries; pizza; soup; salad; cake; cookie=cookies
!diet: vegan; vegetarian; pescatarian; keto=ketogenic; paleo; halal; kosher; gluten free; dairy free=lactose free; sugar free; nut free; low carb; low fat
part in a work: direct=directed=directs=director; produce=produced=produces=producer; write=wrote=written=writer=author; compose=composed=composer; edit=edited=editor; star=starred=stars; illustrate=illustrated=illustrator; choreograph=choreographed=choreographer
part of a song: lyrics; melody; chorus; music; bass line
part of the body: head; neck; shoulder=shoulders; arm=arms; elbow; wrist; hand=hands; finger=fingers; chest; back; stomach; hip=hips; knee=knees; leg=legs; ankle=ankles; toe=toes; eye=eyes; ear=ears; nose; mouth; tooth=teeth; throat; skin; lung=lungs; liver; kidney=kidneys; brain; heart
illness: diabetes; asthma; flu=influenza; covid=coronavirus; cancer; anemia; depression; anxiety; migraine; arthritis; eczema; psoriasis; pneumonia; bronchitis; malaria; measles; hepatitis; epilepsy; insomnia; gout; acne; adhd; autism; dementia; stroke; hypertension; hypotension; hyperthyroidism; hypothyroidism
medicine: ibuprofen; paracetamol=acetaminophen=tylenol; aspirin; metformin; insulin; amoxicillin; penicillin; omeprazole; sertraline; prednisone; warfarin; statin=statins; melatonin; antibiotic=antibiotics; antidepressant=antidepressants; vaccine=vaccines
element: hydrogen; helium; carbon; nitrogen; oxygen; sodium; magnesium; aluminum=aluminium; silicon; phosphorus; sulfur=sulphur; chlorine; potassium; calcium; iron; copper; zinc; silver; tin; iodine; gold; uranium; titanium; nickel; lithium
school subject: math=maths=mathematics; algebra; geometry; calculus; statistics; physics; chemistry; biology; geography; economics; philosophy; psychology; sociology; linguistics; astronomy; geology
sport: football=soccer; basketball; baseball; tennis; cricket; hockey; rugby; golf; volleyball; badminton; swimming; boxing; cycling; chess
instrument: guitar; piano; violin; viola; cello; drums; flute; trumpet; saxophone; clarinet; ukulele; harp
vehicle: car; bus; train; plane=airplane=aeroplane; bicycle=bike; motorcycle=motorbike; truck=lorry; boat; ship; ferry; taxi=cab; subway=metro; tram; scooter; helicopter
job: nurse; doctor=physician; dentist; lawyer=attorney; teacher; professor; engineer; accountant; architect; plumber; electrician; carpenter; mechanic; pilot; chef=cook; journalist; librarian; pharmacist; surgeon; veterinarian=vet; paralegal; designer; psychologist; psychiatrist; firefighter; police officer=policeman; soldier; farmer; translator; cashier; receptionist
audience: beginner=beginners; expert=experts; child=children=kid=kids; teenager=teenagers=teen=teens; adult=adults; senior=seniors=elderly; student=students; parent=parents; developer=developers; manager=managers; executive=executives; toddler=toddlers; baby=babies=infant=infants; layperson=layman
degree: bachelor=bachelors=bsc; master=masters=msc; phd=doctorate; mba; diploma; btech; mtech; associate
!product: postgres=postgresql; mysql; mariadb; sqlite; mongodb=mongo; redis; memcached; cassandra; dynamodb; oracle; elasticsearch; opensearch; snowflake; bigquery; redshift; kafka; rabbitmq; docker; podman; kubernetes=k8s=kubectl; terraform; ansible; jenkins; nginx; apache; django; flask; fastapi; rails; laravel; symfony; react; angular; vue; svelte; nextjs=next.js; nuxt; jquery; bootstrap; tailwind; nodejs=node.js; deno; pandas; numpy; polars; tensorflow; pytorch; keras; excel; google sheets; powerpoint; outlook; gmail; thunderbird; slack; discord; zoom; skype; whatsapp; telegram; instagram=insta; facebook; twitter; tiktok; snapchat; linkedin; youtube; reddit; pinterest; github; gitlab; bitbucket; jira; trello; asana; salesforce; hubspot; zendesk; shopify; wordpress; drupal; photoshop; illustrator; figma; chrome; firefox; safari; vim; emacs; vscode; intellij; eclipse; pycharm; npm; yarn; pnpm; pip; conda; maven; gradle; webpack; vite; jest; mocha; pytest; junit; aws; azure; gcp; heroku; vercel; netlify; stripe; paypal; venmo; spotify; netflix; hulu; uber; lyft; airbnb; iphone; ipad; macbook; playstation; xbox; nintendo; alexa; siri; cortana; grafana; prometheus; datadog; splunk; graphql; grpc; soap; websocket=websockets; oauth; saml; ldap
environment: production=prod; staging; development=dev; sandbox; qa; uat; localhost
!http method: get request=get requests; post request=post requests; put request=put requests; patch request=patch requests; delete request=delete requests
join: inner join; outer join; left join; right join; full join; cross join
average: mean=average=avg; median; maximum=max; minimum=min; sum=total; variance; percentile
access: reader; writer; viewer; editor; owner; admin=administrator; guest; moderator; contributor
state: open; closed; pending; resolved; draft; published; archived; active; inactive; expired; paid; unpaid; overdue; cancelled=canceled; delivered; shipped; refunded
level: low; medium; high
log level: debug; info; warning=warn; error; fatal; trace
git: commit; branch; tag; merge; rebase; stash; cherry-pick; submodule; fork
code: function=method; class; variable; constant; interface; enum; struct; module; package; array; dictionary; tuple; set; loop; column; row; table; index; view; trigger; schema; field; foreign key; primary key
network: tcp; udp; http; https; ftp; sftp; ssh; dns; dhcp; ipv4; ipv6; tls; imap; smtp; pop3
asset: stock=stocks=share=shares; bond=bonds; option=options; future=futures; forward=forwards; swap=swaps; etf=etfs; mutual fund=mutual funds; annuity=annuities; mortgage=mortgages; loan=loans; grant=grants; lease=leases; pension=pensions; dividend=dividends; royalty=royalties; coupon=coupons
balance sheet: asset=assets; liability=liabilities; equity; revenue=revenues; expense=expenses; profit=profits; loss=losses; debt=debts; cash; inventory; depreciation; amortization=amortisation; receivable=receivables; payable=payables; goodwill
tax: income tax; sales tax; property tax; vat; capital gains; inheritance tax; payroll tax; gift tax; corporate tax
insurance: health insurance; car insurance; life insurance; home insurance; travel insurance; dental insurance
account: savings account; checking account; current account; joint account; business account; brokerage account; credit card; debit card; prepaid card; gift card
religion: christianity=christian=christians; islam=muslim=muslims; judaism=jewish=jews; hinduism=hindu=hindus; buddhism=buddhist=buddhists; atheism=atheist=atheists; catholic=catholics; protestant=protestants
genre: horror; comedy; romance; thriller; documentary; fantasy; western; science fiction=sci-fi; drama; mystery; animated
device: phone=smartphone; laptop; tablet; desktop; smartwatch; printer; router; monitor; keyboard; webcam; microphone; headphones; speaker=speakers; camera; television=tv
room: kitchen; bedroom; bathroom; living room; garage; basement; attic; hallway; office; garden
clothing: shirt; trousers=pants; jeans; dress; skirt; jacket; coat; shoes; boots; socks; hat; gloves; scarf
grammar: noun=nouns; verb=verbs; adjective=adjectives; adverb=adverbs; pronoun=pronouns; preposition=prepositions; synonym=synonyms; antonym=antonyms; vowel=vowels; consonant=consonants; prefix; suffix; subject; predicate; singular; plural
geometry: circle; square; triangle; rectangle; sphere; cube; cylinder; cone; pyramid; hexagon; pentagon; ellipse; area; perimeter; circumference; volume; radius; diameter; hypotenuse
part of a work: episode; season; chapter; volume; page; verse; scene; paragraph; section; appendix; lesson; level
material: wood; steel; plastic; glass; concrete; leather; cotton; wool; silk; paper; rubber; ceramic
`;

export interface KindValue {
  readonly kind: string;
  readonly value: string;
  /** Whether naming a value differs from naming none. */
  readonly counts: boolean;
}

/** The values that a word or phrase stands for; a word can belong to several kinds. */
export const kindValues = new WordTable<readonly KindValue[]>(lines, (line, entries) => {
  const [name, list] = line.split(': ');
  if (name === undefined || list === undefined) return;
  const counts = name.startsWith('!');
  const kind = counts ? name.slice(1) : name;
  for (const spellings of list.split('; ')) {
    const [value = '', ...others] = spellings.split('=');
    for (const spelling of [value, ...others])
      entries.set(spelling, [...(entries.get(spelling) ?? []), { kind, value, counts }]);
  }
});

/** The maximum number of words in a value. */
export const valueWordsMax = 3;
