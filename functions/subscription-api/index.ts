import { createApi } from "./app";
import { scryptPasswords } from "./sign-ups/password";

export default createApi(scryptPasswords);
