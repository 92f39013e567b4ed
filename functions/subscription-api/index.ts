import { createApi } from "./app";
import { scryptPasswords } from "./sign-ups/password/password";

const { publicApi, SiteApi } = createApi(scryptPasswords);

export default publicApi;
export { SiteApi };
