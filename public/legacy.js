/* The header's scroll state for browsers from before 2018, which know no modules, in the JavaScript that they know. */
(function () {
  var root = document.documentElement;
  function mark() {
    if (window.pageYOffset > 10) root.setAttribute("data-scrolled", "");
    else root.removeAttribute("data-scrolled");
  }
  window.addEventListener("scroll", mark);
  mark();
})();
