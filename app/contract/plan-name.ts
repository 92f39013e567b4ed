import * as z from "zod/mini";
import { isPrintable } from "./fields/form-fields";

/** A plan's name as operators and releases give it. */
export const planName = z.string().check(z.trim(), z.minLength(1), z.maxLength(100), z.refine(isPrintable));
