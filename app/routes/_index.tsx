import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../home/home.css";
import { HomePage } from "../home/home-page";
import { pageMeta } from "../seo/page-meta";
import { homePage } from "../seo/pages";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(homePage, matches);

export default HomePage;
