/** ISO 3166-1, alpha-2 before alpha-3, and Kosovo, whose codes ISO leaves to its users. */
const ISO_3166_1 =
  "ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD " +
  "BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR BZBLZ CACAN " +
  "CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU " +
  "DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB " +
  "GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GSSGS GTGTM GUGUM GWGNB GYGUY HKHKG " +
  "HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA JEJEY JMJAM JOJOR JPJPN " +
  "KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU " +
  "LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR " +
  "MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL " +
  "OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB " +
  "RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP " +
  "SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN " +
  "TZTZA UAUKR UGUGA UMUMI USUSA UYURY UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM XKXKX YEYEM YTMYT " +
  "ZAZAF ZMZMB ZWZWE";

const COUNTRIES = ISO_3166_1.split(" ").map((codes) => ({ code: codes.slice(0, 2), alpha3: codes.slice(2) }));

/** Further languages of a country; CLDR knows the likeliest. */
const MORE_LANGUAGES: Record<string, string> = {
  AF: "ps",
  BA: "sr hr",
  BE: "fr de",
  BI: "fr",
  BY: "ru",
  CA: "fr",
  CH: "fr it rm",
  CM: "fr",
  CY: "tr",
  DJ: "fr ar",
  DZ: "fr",
  ES: "ca eu gl",
  FI: "sv",
  FR: "br eu",
  GB: "cy gd ga",
  HT: "fr",
  IE: "ga",
  IL: "ar",
  IN: "bn ta te mr gu kn ml pa",
  IQ: "ku",
  KG: "ru",
  KZ: "kk ru",
  LB: "fr",
  LK: "ta",
  LU: "fr de lb",
  MA: "fr",
  ME: "sr-Cyrl",
  MK: "sq",
  MO: "pt",
  NL: "fy",
  NO: "nn se",
  NZ: "mi",
  RS: "sr-Latn",
  RW: "fr",
  SG: "zh ms ta",
  TN: "fr",
  TW: "zh-Hans",
  XK: "sr sr-Latn",
  ZA: "af zu xh",
};

/** Common names that CLDR lacks in English. */
const OTHER_NAMES: Record<string, string> = {
  AE: "UAE/Emirates",
  BA: "Bosnia",
  BN: "Brunei Darussalam",
  BO: "Plurinational State of Bolivia",
  CD: "Democratic Republic of the Congo/DR Congo",
  CG: "Republic of the Congo",
  CI: "Ivory Coast",
  CN: "People's Republic of China/PRC/Mainland China",
  CV: "Cabo Verde",
  CZ: "Czech Republic",
  FM: "Federated States of Micronesia",
  GB: "UK/Great Britain/Britain/England/Scotland/Wales/Northern Ireland",
  HK: "Hong Kong SAR",
  IE: "Republic of Ireland",
  IR: "Islamic Republic of Iran",
  KG: "Kyrgyz Republic",
  KP: "Democratic People's Republic of Korea/DPRK",
  KR: "Republic of Korea/Korea",
  LA: "Lao People's Democratic Republic/Lao",
  MD: "Republic of Moldova",
  MK: "Macedonia",
  MM: "Myanmar/Burma",
  MO: "Macau/Macao",
  NL: "Holland",
  PS: "Palestine/State of Palestine",
  RU: "Russian Federation",
  SK: "Slovak Republic",
  SY: "Syrian Arab Republic",
  SZ: "Swaziland",
  TL: "East Timor",
  TR: "Turkey",
  TW: "Republic of China",
  TZ: "United Republic of Tanzania",
  US: "United States of America/America",
  VA: "Vatican/Vatican City State/Holy See",
  VE: "Bolivarian Republic of Venezuela",
  VN: "Viet Nam",
};

/** The English names, in alphabetical order. */
export function countryNames(): string[] {
  const names = namesIn("en");
  return COUNTRIES.map(({ code }) => names(code) ?? code).sort(new Intl.Collator("en").compare);
}

/** The ISO 3166-1 alpha-2 code of a typed code or name; undefined for any other text. */
export function countryCode(text: string): string | undefined {
  const typed = comparable(text);
  englishIndex ??= indexOf(englishNames());
  const found = englishIndex.get(typed);
  if (found !== undefined) return found;
  ownNameIndex ??= indexOf(ownNames());
  return ownNameIndex.get(typed);
}

// Built once per isolate; the slow one only if the fast one finds nothing.
let englishIndex: Map<string, string> | undefined;
let ownNameIndex: Map<string, string> | undefined;

type Named = { code: string; names: (string | undefined)[] };

function englishNames(): Named[] {
  const [long, short] = [namesIn("en"), namesIn("en", "short")];
  return COUNTRIES.map(({ code, alpha3 }) => {
    const others = OTHER_NAMES[code]?.split("/") ?? [];
    return { code, names: [code, alpha3, long(code), short(code), ...others] };
  });
}

function ownNames(): Named[] {
  return COUNTRIES.map(({ code }) => {
    const likeliest = new Intl.Locale(`und-${code}`).maximize();
    const languages = [likeliest.baseName, ...(MORE_LANGUAGES[code]?.split(" ") ?? [])];
    return {
      code,
      names: languages.flatMap((language) => [namesIn(language)(code), namesIn(language, "short")(code)]),
    };
  });
}

function namesIn(language: string, style: "long" | "short" = "long"): (code: string) => string | undefined {
  const names = new Intl.DisplayNames(language, { type: "region", style, fallback: "none" });
  return (code) => names.of(code);
}

function indexOf(countries: Named[]): Map<string, string> {
  const index = new Map<string, string>();
  for (const { code, names } of countries) {
    for (const name of names) {
      if (name !== undefined) index.set(comparable(name), code);
    }
  }
  return index;
}

/** Drops case, accents, punctuation, spaces and words that people leave out. */
function comparable(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/^(.+), (.+)$/, "$2 $1")
    .replace(/\b(?:the|of|and)\s/g, " ")
    .replace(/\bsaint\b/g, "st")
    .replace(/[^\p{L}\p{M}\p{N}]|[\u0300-\u036f]/gu, "");
}
