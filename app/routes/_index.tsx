import type { MetaFunction } from "@remix-run/cloudflare";
import stylesheet from "../home/home.css";
import { HomePage } from "../home/home-page";
import { homePage } from "../seo/pages";
import { pageMeta } from "../seo/public-page-meta";

export const handle = { stylesheet };

export const meta: MetaFunction = ({ matches }) => pageMeta(homePage, matches);

export default HomePage;
