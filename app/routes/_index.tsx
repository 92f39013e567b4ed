import type { MetaFunction } from "@remix-run/cloudflare";
import { pageMeta } from "../discovery/page-meta";
import { homePage } from "../discovery/pages";
import stylesheet from "../home/home.css";
import { HomePage } from "../home/home-page";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(homePage, matches);

export default HomePage;
