import { createApi } from "../../../functions/subscription-api/app";
import { cheapPasswords } from "../cheap-passwords";

/* The entry of an API that hashes passwords cheaply: scrypt would block the only isolate for 150 ms at each sign-up. */

const { publicApi, SiteApi } = createApi(cheapPasswords);

export default publicApi;
export { SiteApi };
