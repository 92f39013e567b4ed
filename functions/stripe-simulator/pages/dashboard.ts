import { Hono } from "hono";
import type { StripeContext } from "../api/context";

export const dashboard = new Hono<StripeContext>();
