import { expect, test } from "vitest";
import {
  cardSession,
  look,
  NOW,
  PATH,
  PLAN,
  SITE_URL,
  siteContext,
  stopClock,
} from "../../support/site-in-process/site-context";
import { validRequest } from "../../support/visitors/visitor";

/* What browsers, links and the API have from an earlier release of the site, which made these values at this time. */

const COOKIE =
  "__Host-signup=eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoidVJBakF0MEYifQ..ds38THu7koczXbxS.EDCWCTw6H2X5HeWQl6PceqRKTSGGPNZDLRC8AcVuVdq5QYy2WksQGwZ72Z3tyQXJEUCJk9E7mnGMhP20dZ-wAblXEZ20SlQs5uJiTDj7mtSE0jLF4-VP2tidFmDHcLxYFuPBtNn7VXoOP1_Jhwbr06UoZ15344UDECyAyr17FN_XrM76cuNvBfdaK-xcQQKTBinDR5ftlF6wMNl3DuiXPN2Cjz0Ir5Qw0GnAYlo_qvjMAuYxYSwMilyEIo9xGb3vTe01mUyNmvE_koBd8tv-jumEcQcLfWpnc0vfSXwe_Vexkgl6MHGPmqgeudPent7VvQ1oqxI0B-_JQDOfZSBrthID77KB2Sw3iyDiuOYF15fffAv0aymvBTRxb8NA1olw3RqHbOwn2FFiNWpoatuLQnIKxYhojrKaAJYZFQGha8z0goX7MosgoImzK_OwiQCYHAN0abDiKFs_paDheIzuT8hLYPFYTUR05GNs4Yx0lPVq8zCRDmHt7Zxz4XKjXvM2a_gDzES4hsGrPzNIrcPjJ1IgEg-KyTY7t1Yd9WdFxMjBmyo9nlPXd4ryOleD9QC9T3JwiGKW2QbnhXAxngDo1qM_8673E-giEoQ1PZPU7l-NfZC-t17aBvY0541ceGyeybM.6JbjdZD-4QHJiQg_hELjZw";
const RESUME_TOKEN =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoidVJBakF0MEYifQ..MCx3_5zNnvTgyxgx.SlwmD4y4r8YzDULAANd7m1eRME7lNmulh1PNaUm0YsQMwGmqRi2UpTiWUC7lwQo-Z1GzmSL68x7gVzfIqfPBByK_mS8B-doatiEsV5K5NFEZ5RG5j6G-MAu989w3VgyJWj7BOa_EVF5xR1Mf0xwx13Z11wdUaaesNlKwbphIv4LGUZ9sVYjmEbBVCxnmp8j-p-R8zTwnPItcFlh_kotnoTVX_s1lKxTdWM-eaF-W3w.y6jjpEg6YZ-mHmhVKqxBig";
const RETURN_TOKEN =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoidVJBakF0MEYifQ..cJr6JOd_Go077KpV.xssBaeqz1x2QOWa4Dv6siozlVubH8PLN58TVOFp3BjuNJMSjqGR9KJTSm7cc9G6Wt8Hhaf0dU4sLx8N39CXITV3aGJa0hNIOWeEIWnlZd7Q3bWkVqDbg9OgvmOyKrW4lhga7x6F59bByNYfWnhlfeveg5jrOi9VZIqbHiWOUVjxMRFcTD_bliclapxlo6_Jkq2CJz_r-bY9krMUEvZmKcXvM8_UP0gwZGIA.lpxZW6xUh9U4R0UIyE4dpg";
const DRAFT_TOKEN =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoidVJBakF0MEYifQ..3uLPL1QK6q_JTHGC.UklfORJIilpCUqlTYJ3o96hwuV4k1aFO29t_6paU2jn_L5yDCqbhVggKQWmsbhdZDtzCbfQBEXT001a-NHk6hjdYoStZVAZhyi8ply0tMKOy19q5J3e5yimfoPg_ezfRc43rlAlCVby6s2darzAanIw.Cj3o16S7Gw59rj1MzG_pog";
const NONCE = "mywpiww0.Yl8hQNOFrMA9VQEcVOKjEQ.FmbLZGAlL5QuwmJZLPLRIjPky5357BNVxRFwitZgA-8";
const IDEMPOTENCY_KEY = "SxT5fYUsugsu6RiiogrOPFxyUgraZtgC22vktub2-zs";
const CHALLENGE = "mywpiww0.HIEWQ09GkL6bfHjLhiqlFxZhkA2o1P9pmcol_v4oUgU";

stopClock();

test("a session cookie from an earlier release opens with all its contents", async () => {
  const { sessions } = siteContext();
  const found = await sessions.read(new Request(SITE_URL, { headers: { Cookie: COOKIE } }));
  expect(found).toEqual({ status: "open", session: cardSession() });
});

test.each([
  ["resume link", "resume", RESUME_TOKEN],
  ["return from the bank's page", "return", RETURN_TOKEN],
])("the %s of an earlier release opens its sign-up", async (_, parameter, token) => {
  const { step } = await look(siteContext(), undefined, { path: `${PATH}?${parameter}=${token}` });
  expect(step).toMatchObject({ step: "resume", state: "ready", packageId: PLAN });
});

test("form values that an earlier release put into a URL are restored", async () => {
  const draft = { formNonce: "a-nonce", values: { city: "Springfield" } };
  expect(await siteContext().sessions.fromDraftToken(DRAFT_TOKEN)).toEqual(draft);
});

test("a form from an earlier release has a valid nonce, its idempotency key and its challenge token", async () => {
  const { nonces, challenges } = siteContext();
  expect(await nonces.read(NONCE)).toEqual({ id: NONCE.split(".")[1], issuedAt: NOW });
  expect(await nonces.idempotencyKey(NONCE, validRequest)).toBe(IDEMPOTENCY_KEY);
  expect(await challenges.isFor(CHALLENGE, NONCE, validRequest)).toBe(true);
});
