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
  const names = namesIn("long");
  return COUNTRIES.map(({ code }) => names(code) ?? code).sort(new Intl.Collator("en").compare);
}

/** The ISO 3166-1 alpha-2 code of a typed code or English name; undefined for any other text. */
export function countryCode(text: string): string | undefined {
  codes ??= codesByName();
  return codes.get(comparable(text));
}

/** Built once per isolate. */
let codes: Map<string, string> | undefined;

function codesByName(): Map<string, string> {
  const [long, short] = [namesIn("long"), namesIn("short")];
  return new Map(
    COUNTRIES.flatMap(({ code, alpha3 }) => {
      const others = OTHER_NAMES[code]?.split("/") ?? [];
      const names = [code, alpha3, long(code), short(code), ...others];
      return names.flatMap((name) => (name === undefined ? [] : [[comparable(name), code] as const]));
    }),
  );
}

function namesIn(style: "long" | "short"): (code: string) => string | undefined {
  const names = new Intl.DisplayNames("en", { type: "region", style, fallback: "none" });
  return (code) => names.of(code);
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
