import { createApi } from "./app";
import { scryptPasswords } from "./passwords/scrypt";

const { publicApi, SiteApi } = createApi(scryptPasswords);

export default publicApi;
export { SiteApi };
