import type { EntryContext } from "@remix-run/cloudflare";
import { NEEDED_APIS } from "./needed-apis";

/** Scripts that take longer count as failed until they run. */
const SLOW_MS = 8_000;

// Replaces Remix's <Scripts>, which throw in older browsers; in the syntax of 1999. If no script starts, it sets
// `data-scripts` on <html> to the cause, shows the text for it (`script-trouble.tsx`), and reloads a page that waits.
const START = `function(needed,files,context,data){
  var page=document.documentElement;
  function say(state){
    page.setAttribute("data-scripts",state);
    var off=document.querySelectorAll(".scripts-off");
    for(var i=0;i<off.length;i++)off[i].hidden=true;
    var texts=document.querySelectorAll("[data-"+state+"]");
    for(i=0;i<texts.length;i++){
      texts[i].textContent=texts[i].getAttribute("data-"+state);
      texts[i].parentNode.hidden=false;
    }
  }
  function fail(state){
    var seconds=page.getAttribute("data-refresh");
    say(state);
    if(seconds)setTimeout(function(){
      if(page.getAttribute("data-scripts")!=="running")location.reload();
    },seconds*1000);
  }
  function failed(){fail("failed")}
  function has(name){
    var names=name.split("."),last=names.pop(),owner=window;
    for(var i=0;owner&&i<names.length;i++)owner=owner[names[i]];
    return owner&&last in owner;
  }
  function add(name,attributes){
    var element=document.createElement(name);
    for(var key in attributes)element[key]=attributes[key];
    document.head.appendChild(element);
  }
  for(var i=0;i<needed.length;i++)if(!has(needed[i]))return fail("unsupported");
  if(history.state&&history.state.hasFailed){
    history.replaceState(null,"");
    return fail("failed");
  }
  say("loading");
  window.__remixContext=context;
  context.stream=new ReadableStream({start:function(stream){
    stream.enqueue(new TextEncoder().encode(data));
    stream.close();
  }});
  files.failed=failed;
  window.pageStart=files;
  for(i=0;i<files.preload.length;i++)add("link",{rel:"modulepreload",href:files.preload[i]});
  add("script",{type:"module",src:files.entry,onerror:failed});
  setTimeout(function(){if(page.getAttribute("data-scripts")==="loading")failed()},${SLOW_MS});
}`.replace(/\n */g, "");

/** @param data the loaders' data in Remix's encoding */
export function startScript(remix: EntryContext, data: string): string {
  const { entry, routes, url } = remix.manifest;
  const matched = remix.staticHandlerContext.matches.flatMap(({ route: { id } }) => {
    const route = routes[id];
    return route ? [{ id, module: route.module, imports: route.imports ?? [] }] : [];
  });
  const files = {
    entry: entry.module,
    manifest: url,
    routes: Object.fromEntries(matched.map(({ id, module }) => [id, module])),
    preload: [...new Set([url, ...entry.imports, ...matched.flatMap(({ module, imports }) => [...imports, module])])],
  };
  const values = [NEEDED_APIS, files].map((value) => JSON.stringify(value));
  const handoff = remix.serverHandoffString?.replace(/,"\w+":false/g, "");
  return `(${START})(${values},${handoff},${JSON.stringify(data).replaceAll("<", "\\u003c")})`;
}
