import VPSidebar from "vitepress/dist/client/theme-default/components/VPSidebar.vue";
import { type Component, defineComponent, h, onMounted, ref } from "vue";

/** The list of pages, made in the browser: in the HTML of every page it would be a fifth of the site. */
const Sidebar: Component = defineComponent({
  props: { open: Boolean },
  setup(props) {
    const isMounted = ref(false);
    onMounted(() => {
      isMounted.value = true;
    });
    return () => isMounted.value ? h(VPSidebar, { open: props.open }) : null;
  },
});

export default Sidebar;
